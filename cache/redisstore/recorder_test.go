package redisstore

import (
	"fmt"
	"slices"
	"testing"
)

// notice is one call of a Follower.
type notice struct {
	what   string // apply or distrust
	at     Position
	record string
}

// recorder is a Follower that records its calls. Its log reads are made by one goroutine.
type recorder struct {
	t       testing.TB
	all     []notice
	reached Position
	known   Position // what Position returns
	pending []string // records to flush
	flushed []Position
}

// follow returns the recorder of a store, after a first log read.
func follow(t testing.TB, r *Store) *recorder {
	t.Helper()
	rec := &recorder{t: t}
	r.Follow(rec)
	caughtUp(t, r)
	return rec
}

// caughtUp reads the log until that succeeds: a connection takes longer than a log read on a busy machine.
func caughtUp(t testing.TB, r *Store) {
	t.Helper()
	eventually(t, "a log read", func() bool { return r.ReadLog() == nil })
}

func (r *recorder) Position() Position { return r.known }

func (r *recorder) Flush(send AppendFunc) error {
	var records [][]byte
	for _, record := range r.pending {
		records = append(records, []byte(record))
	}
	if len(records) == 0 {
		return nil
	}
	positions, err := send(records)
	if err == nil {
		r.pending = nil
		r.flushed = positions
	}
	return err
}

func (r *recorder) Apply(at Position, record []byte) {
	r.all = append(r.all, notice{what: "apply", at: at, record: string(record)})
}
func (r *recorder) Distrust(at Position) {
	r.all = append(r.all, notice{what: "distrust", at: at, record: ""})
}
func (r *recorder) Reached(at Position) { r.reached = at }

// covers fails the test unless the record was applied at its position, or all before it is
// distrusted.
func (r *recorder) covers(record string, at Position) {
	r.t.Helper()
	if r.reached < at {
		r.t.Errorf("the log ends at %d for it, before %q at %d", r.reached, record, at)
	}
	if !slices.ContainsFunc(r.all, func(e notice) bool {
		return e.what == "apply" && e.at == at && e.record == record || e.what == "distrust" && e.at >= at
	}) {
		r.t.Errorf("%q at %d was missed; recorded: %v", record, at, r.all[max(0, len(r.all)-40):])
	}
}

// distrusts returns the highest position before which everything is distrusted, of notices after
// the first n.
func (r *recorder) distrusts(n int) (at Position) {
	for _, e := range r.all[n:] {
		if e.what == "distrust" {
			at = max(at, e.at)
		}
	}
	return at
}

func (r *recorder) records() (records []string) {
	for _, e := range r.all {
		if e.what == "apply" {
			records = append(records, e.record)
		}
	}
	return records
}

func mustAppend(t testing.TB, r *Store, record any) (at Position) {
	t.Helper()
	at, err := r.Append(background, []byte(fmt.Sprint(record)))
	must(t, err)
	return at
}
