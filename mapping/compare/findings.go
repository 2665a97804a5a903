package compare

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Where names the call of two documents.
type Where struct {
	Endpoint string // such as "events.list"
	Language string
	Call     string // for people: path and query; secrets in it are hidden
}

// Findings count differences, and store some examples of each kind. They are safe
// for concurrent use; the zero value is empty and good. Memory is bounded.
type Findings struct {
	mu       sync.Mutex
	counts   map[cell]*Count
	known    map[string]*KnownCount
	groups   map[groupKey]*Group
	overflow int64
}

// The maximum numbers of examples of a group, and of groups.
const (
	maxExamples = 5
	maxGroups   = 500
)

type cell struct{ endpoint, language string }

type groupKey struct {
	cell
	path string
	kind Kind
}

// Count counts the comparisons of one endpoint in one language.
type Count struct {
	Endpoint  string `json:"endpoint"`
	Language  string `json:"language"`
	Documents int64  `json:"documents"` // that were compared
	Differing int64  `json:"differing"` // of these
	Noise     int64  `json:"noise"`     // differences that the reference has from itself, see [Comparer.Real]
}

// Group is all that differs in the same way at the same path.
type Group struct {
	Endpoint  string    `json:"endpoint"`
	Language  string    `json:"language"`
	Path      string    `json:"path"`
	Kind      Kind      `json:"kind"`
	Count     int64     `json:"count"`     // differences
	Documents int64     `json:"documents"` // in which they were
	Examples  []Example `json:"examples"`  // the first of each of the first documents
}

// Example is one difference of a group.
type Example struct {
	Call string `json:"call"`
	Item string `json:"item,omitempty"`
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// KnownCount is how often a [Known] difference was found.
type KnownCount struct {
	Name      string `json:"name"`
	Count     int64  `json:"count"`     // differences
	Documents int64  `json:"documents"` // in which they were
}

// Report holds the differences that were found so far.
type Report struct {
	Counts   []Count `json:"counts"`   // by endpoint and language
	Groups   []Group `json:"groups"`   // the most frequent first
	Overflow int64   `json:"overflow"` // differences of groups that there was no room for

	Known []KnownCount `json:"known,omitempty"` // differences that are in no group, by name
}

// Add counts a document that was compared: its differences, if it has any, and how many of these are
// not due to the candidate. A document all of whose differences are known ones does not differ.
func (f *Findings) Add(where Where, differences []Difference, noise int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts == nil {
		f.counts, f.known, f.groups = map[cell]*Count{}, map[string]*KnownCount{}, map[groupKey]*Group{}
	}
	at := cell{where.Endpoint, where.Language}
	if c := entry(f.counts, at, Count{Endpoint: at.endpoint, Language: at.language}); c != nil {
		c.Documents++
		c.Noise += int64(noise)
		if len(Unknown(differences)) > 0 {
			c.Differing++
		}
	}
	met := map[*Group]bool{}
	for i := range differences {
		d := &differences[i]
		if d.Known != "" {
			if k := entry(f.known, d.Known, KnownCount{Name: d.Known}); k != nil {
				k.Count += int64(d.Times)
				k.Documents++
			}
			continue
		}
		g := entry(f.groups, groupKey{at, d.Path, d.Kind}, Group{Endpoint: at.endpoint, Language: at.language, Path: d.Path, Kind: d.Kind})
		if g == nil {
			f.overflow++
			continue
		}
		g.Count++
		if met[g] {
			continue
		}
		met[g] = true
		g.Documents++
		if len(g.Examples) < maxExamples {
			g.Examples = append(g.Examples, Example{Call: shown(where.Call), Item: d.Item, Want: d.Want, Got: d.Got})
		}
	}
}

// entry returns the value of a key. It adds an empty one if there is room; otherwise it returns nil.
func entry[K comparable, V any](all map[K]*V, key K, empty V) *V {
	v := all[key]
	if v == nil && len(all) < maxGroups {
		v = &empty
		all[key] = v
	}
	return v
}

// Snapshot returns the differences that were found so far, in an order that depends on nothing else.
func (f *Findings) Snapshot() Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := Report{Counts: make([]Count, 0, len(f.counts)), Groups: make([]Group, 0, len(f.groups)), Overflow: f.overflow}
	for _, c := range f.counts {
		r.Counts = append(r.Counts, *c)
	}
	for _, g := range f.groups {
		copied := *g
		copied.Examples = slices.Clone(g.Examples)
		r.Groups = append(r.Groups, copied)
	}
	for _, name := range slices.Sorted(maps.Keys(f.known)) {
		r.Known = append(r.Known, *f.known[name])
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Language, b.Language))
	})
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Language, b.Language),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return r
}
