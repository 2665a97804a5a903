package cache

import "time"

// certainFor is how long an entry with a tag in doubt may be served: after the doubt began,
// and after the entry was fetched.
const certainFor = time.Second

// maxDoubts bounds the doubts that are stored with their tags. Beyond it everything is in
// doubt: too much, never too little.
const maxDoubts = 10_000

// everything stands for all tags: a doubt that names none puts everything in doubt.
const everything = ""

// doubts are the writes whose outcome is not known: those in progress, and those that the
// source did not answer. Entries that show their tags may become outdated at any moment. The
// mutex of the log guards them.
type doubts struct {
	byID map[string][]string
	tags map[string]*tagInDoubt
}

// tagInDoubt is a tag that is in doubt.
type tagInDoubt struct {
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
		d.byID, d.tags = map[string][]string{}, map[string]*tagInDoubt{}
	}
	d.byID[id] = tags
	for _, t := range tags {
		if d.tags[t] == nil {
			d.tags[t] = &tagInDoubt{since: began}
		}
		d.tags[t].doubts++
	}
}

func (d *doubts) settle(id string) {
	for _, t := range d.byID[id] {
		if d.tags[t].doubts--; d.tags[t].doubts == 0 {
			delete(d.tags, t)
		}
	}
	delete(d.byID, id)
}

// until returns until when e may be served; zero: no tag of it is in doubt.
func (d *doubts) until(e *Entry) (limit time.Time) {
	in := func(tag string) {
		if t := d.tags[tag]; t != nil && (limit.IsZero() || t.since.Before(limit)) {
			limit = t.since
		}
	}
	in(everything)
	for _, t := range e.Tags {
		in(t)
	}
	if limit.IsZero() {
		return limit
	}
	if e.Created.After(limit) {
		limit = e.Created
	}
	return limit.Add(certainFor)
}
