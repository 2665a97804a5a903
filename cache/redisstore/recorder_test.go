package redisstore

import (
	"fmt"
	"slices"
	"testing"
)

// notice is one call of a Follower.
type notice struct {
	kind     string // apply or distrust
	position Position
	record   string
}

// recorder is a Follower that records its calls. Its log reads are made by one goroutine.
type recorder struct {
	t       testing.TB
	notices []notice
	reached Position
	limit   Position // the result of Position
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

func (r *recorder) Position() Position { return r.limit }

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

func (r *recorder) Apply(position Position, record []byte) {
	r.notices = append(r.notices, notice{kind: "apply", position: position, record: string(record)})
}
func (r *recorder) Distrust(p Position) {
	r.notices = append(r.notices, notice{kind: "distrust", position: p, record: ""})
}
func (r *recorder) Reached(p Position) { r.reached = p }

// covers fails the test unless the record was applied at its position, or all before it is
// distrusted.
func (r *recorder) covers(record string, p Position) {
	r.t.Helper()
	if r.reached < p {
		r.t.Errorf("the log ends at %d for it, before %q at %d", r.reached, record, p)
	}
	if !slices.ContainsFunc(r.notices, func(e notice) bool {
		return e.kind == "apply" && e.position == p && e.record == record || e.kind == "distrust" && e.position >= p
	}) {
		r.t.Errorf("%q at %d was missed; recorded: %v", record, p, r.notices[max(0, len(r.notices)-40):])
	}
}

// distrusts returns the highest position before which everything is distrusted, of notices after
// the first n.
func (r *recorder) distrusts(n int) (p Position) {
	for _, e := range r.notices[n:] {
		if e.kind == "distrust" {
			p = max(p, e.position)
		}
	}
	return p
}

func (r *recorder) records() (records []string) {
	for _, e := range r.notices {
		if e.kind == "apply" {
			records = append(records, e.record)
		}
	}
	return records
}

func mustAppend(t testing.TB, r *Store, record any) (p Position) {
	t.Helper()
	p, err := r.Append(background, []byte(fmt.Sprint(record)))
	must(t, err)
	return p
}
