package cache

import (
	"sync/atomic"
	"time"
)

// certainFor is how long an answer that shows what is in doubt may be given: after the
// doubt began, and after it was fetched.
const certainFor = time.Second

// maxDoubts bounds the doubts that are remembered apart. Past it everything is in doubt:
// too much, never too little.
const maxDoubts = 10_000

// everything, in place of a tag, is in doubt where a doubt names no tags.
const everything = ""

// doubts are of the writes whose outcome is not known: those under way, and those that
// the source did not answer. What shows their tags may be old from one moment to the
// next. The mutex of the log guards them.
type doubts struct {
	open atomic.Int64 // how many there are; read without the mutex
	byID map[string][]string
	tags map[string]*doubted
}

// doubted is a tag that is in doubt.
type doubted struct {
	doubts int
	since  time.Time // the first of them
}

// add adds a doubt, which may be known already.
func (d *doubts) add(id string, tags []string, began time.Time) {
	if _, known := d.byID[id]; known {
		return
	}
	if len(tags) == 0 || len(d.byID) >= maxDoubts {
		tags = []string{everything}
	}
	if d.byID == nil {
		d.byID, d.tags = map[string][]string{}, map[string]*doubted{}
	}
	d.byID[id] = tags
	for _, t := range tags {
		if d.tags[t] == nil {
			d.tags[t] = &doubted{since: began}
		}
		d.tags[t].doubts++
	}
	d.open.Store(int64(len(d.byID)))
}

func (d *doubts) settle(id string) {
	for _, t := range d.byID[id] {
		if d.tags[t].doubts--; d.tags[t].doubts == 0 {
			delete(d.tags, t)
		}
	}
	delete(d.byID, id)
	d.open.Store(int64(len(d.byID)))
}

// until is how long e may be given, if it shows what is in doubt.
func (d *doubts) until(e *Entry) (limit time.Time, in bool) {
	since := func(tag string) {
		if t := d.tags[tag]; t != nil && (!in || t.since.Before(limit)) {
			limit, in = t.since, true
		}
	}
	since(everything)
	for _, t := range e.Tags {
		since(t)
	}
	if e.Created.After(limit) {
		limit = e.Created
	}
	return limit.Add(certainFor), in
}
