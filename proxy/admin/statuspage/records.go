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
	Level   zapcore.Level
	Message string
	Fields  string // of the last
	Last    time.Time
	Times   int
}

// add counts a record.
func (r *records) add(e zapcore.Entry, fields string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := record{e.Level, e.Message, fields, e.Time, 1}
	same := slices.IndexFunc(r.list, func(o record) bool { return o.Level == now.Level && o.Message == now.Message })
	switch {
	case same >= 0:
		now.Times += r.list[same].Times
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
