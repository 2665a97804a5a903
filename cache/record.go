package cache

import (
	crand "crypto/rand"
	"encoding/json"
)

// Purge invalidates the entries that show any of its tags.
type Purge struct {
	Tags []string `json:"tags,omitempty"`
	All  bool     `json:"all,omitempty"`  // all entries, whatever their tags
	Soft bool     `json:"soft,omitempty"` // they may still be served stale

	From string `json:"-"` // the cause, for [Cache.Recent] of this process
}

// The causes of purges that others than their makers distinguish.
const (
	FromHTTP  = "http" // requested by HTTP, by the site as a rule
	FromWrite = "write"
)

// record is a record of the log: mostly a purge. See [Announcement] for the others.
type record struct {
	Purge
	Version int    `json:"v"`
	Space   string `json:"space,omitempty"`  // the [Options.TagSpace] of its cache
	ID      string `json:"id"`               // random
	Note    bool   `json:"note,omitempty"`   // it purges nothing
	Begins  bool   `json:"begins,omitempty"` // it puts its tags in doubt
	Ends    string `json:"ends,omitempty"`   // the ID of the record whose doubt it ends; "" is none
}

// recordVersion is the version of the tags as well: while instances of two versions run side by side, each
// purges everything for a record of the other version. See [version].
const recordVersion = 3

// record returns the record of a purge by this cache.
func (c *Cache) record(p Purge) record {
	return record{Purge: p, Version: recordVersion, Space: c.options.TagSpace, ID: crand.Text()}
}

func (r record) encode() []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return data
}

// decodeRecord decodes a record. One that it cannot decode purges everything: it may have
// been any purge.
func decodeRecord(data []byte) (r record) {
	err := json.Unmarshal(data, &r)
	if err != nil || r.Version != recordVersion || len(r.Tags) == 0 && !r.All && !r.Note {
		return record{Purge: Purge{All: true}}
	}
	return r
}

// in returns the record in the tags of a space. Those of another one may lack some: an instance that
// serves fewer languages of a site names fewer lists. So what it purges, or puts in doubt, is
// everything.
func (r record) in(space string) record {
	if r.Space != space {
		r.Tags, r.All = nil, !r.Note
	}
	return r
}

// PurgeOf returns the purge that a record of the log makes, in the tags of a tag space; ok is false if
// it makes none.
func PurgeOf(data []byte, space string) (p Purge, ok bool) {
	r := decodeRecord(data).in(space)
	return r.Purge, !r.Note
}
