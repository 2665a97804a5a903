package statuspage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap/zapcore"
)

// Limits of the records that the page shows.
const (
	maxRecords    = 20
	maxRecordText = 300 // bytes, of the fields of a record
)

// records are the last errors and warnings of the log, the newest last. Those with the same
// level and message are one.
type records struct {
	mu   sync.Mutex
	list []record
}

type record struct {
	level   zapcore.Level
	message string
	fields  string // of the last
	last    time.Time
	times   int
}

// add counts a record.
func (r *records) add(e zapcore.Entry, fields string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := record{level: e.Level, message: e.Message, fields: fields, last: e.Time, times: 1}
	same := slices.IndexFunc(r.list, func(o record) bool { return o.level == now.level && o.message == now.message })
	switch {
	case same >= 0:
		now.times += r.list[same].times
		r.list = slices.Delete(r.list, same, same+1)
	case len(r.list) == maxRecords:
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, now)
}

// newest returns the records, the newest first.
func (r *records) newest() []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.list)
	slices.Reverse(list)
	return list
}

// recordsCore adds to records.
type recordsCore struct {
	zapcore.LevelEnabler
	to   *records
	with []zapcore.Field
}

// With implements [zapcore.Core].
func (c recordsCore) With(fields []zapcore.Field) zapcore.Core {
	c.with = slices.Concat(c.with, fields)
	return c
}

// Check implements [zapcore.Core].
func (c recordsCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements [zapcore.Core].
func (c recordsCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	encoded := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.with, fields) {
		f.AddTo(encoded)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(encoded.Fields)) {
		parts = append(parts, fmt.Sprintf("%s: %v", name, encoded.Fields[name]))
	}
	c.to.add(e, shortened(strings.Join(parts, ", "), maxRecordText))
	return nil
}

// Sync implements [zapcore.Core].
func (recordsCore) Sync() error { return nil }

// recordStatus is a record on the page.
type recordStatus struct {
	Class, Level, Message, Fields, Times string
	Last                                 moment
}

func recordStatuses(list []record, now time.Time) []recordStatus {
	var all []recordStatus
	for _, r := range list {
		s := recordStatus{Class: "warn", Level: "warning", Message: r.message, Fields: r.fields, Times: count64(float64(r.times)), Last: momentOf(r.last, now)}
		if r.level > zapcore.WarnLevel {
			s.Class, s.Level = "bad", "error"
		}
		all = append(all, s)
	}
	return all
}
