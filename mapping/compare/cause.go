package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/calfacade/calfacade/mapping"
)

// Cause is what a difference is about, wherever it shows. A name that differs has one cause in the
// list of venues, in the venue, and in each event at the venue.
type Cause struct {
	Resource string `json:"resource,omitempty"` // of the item or list, such as "venues"; "" where only the call tells
	ID       string `json:"id,omitempty"`       // of the item; "" for a list, and where only the call tells
	Member   string `json:"member,omitempty"`   // path in the item, such as "image.url"; "" for the whole item
	Values   string `json:"values,omitempty"`   // hash of the way in which the two differ
}

// owner is the innermost item of the table that the walker is in.
type owner struct {
	at       *location // nil outside of items
	resource string
	id       string

	// Where the candidate has another item in the place of one in this item: the path of that place,
	// and a hash of both ids.
	place, other string
}

// inside returns the owner of the members of two objects at a location.
func (o owner) inside(w *walker, p *location, a, b int) owner {
	if p.resource == "" || o.other != "" {
		return o
	}
	i, ok := w.want.member(a, idName)
	j, both := w.got.member(b, idName)
	if at := p.at([]byte(idName)); ok && both && o.at != nil && w.rules.hash(w.want, i, at) != w.rules.hash(w.got, j, at) {
		o.place, o.other = p.below(o.at), w.values(at, Value, i, j)
		return o
	}
	inner := owner{at: p, resource: p.resource}
	if ok {
		inner.id = show(w.want, i, p.at([]byte(idName)))
	}
	return inner
}

// cause returns the cause of a difference of the values a and b at a location.
func (w *walker) cause(p *location, kind Kind, a, b int, o owner) Cause {
	switch {
	case o.at == nil:
		return Cause{Resource: w.resource, Member: p.String(), Values: w.values(p, kind, a, b)}
	case o.other != "":
		return Cause{o.resource, o.id, o.place, o.other}
	}
	return Cause{o.resource, o.id, p.below(o.at), w.values(p, kind, a, b)}
}

// causeOfItem returns the cause of an item that one list alone has: of a list of the table the
// item itself, else the item that has the list.
func (w *walker) causeOfItem(inside *location, kind Kind, item string, o owner) Cause {
	if o.at == nil && inside.resource != "" {
		return cause(inside.resource, item, kind)
	}
	c := Cause{Resource: w.resource, Member: inside.String(), Values: digest(string(kind), item)}
	if o.at != nil {
		c.Resource, c.ID, c.Member = o.resource, o.id, inside.below(o.at)
	}
	return c
}

// MissingItem returns the cause of an item that the candidate's list lacks.
func MissingItem(resource, id string) Cause { return cause(resource, id, Missing) }

func cause(resource, id string, kind Kind) Cause {
	return Cause{Resource: resource, ID: id, Values: digest(string(kind))}
}

// values returns a hash of a kind of difference and both values. What is not shown is no part of
// it: values that differ only in that have the same hash.
func (w *walker) values(p *location, kind Kind, a, b int) string {
	return digest(string(kind), w.hashed(w.want, a, p), w.hashed(w.got, b, p))
}

// hashed returns what stands for a value in a hash. It is the same in every run.
func (w *walker) hashed(t *tree, i int, p *location) string {
	if i == none {
		return ""
	}
	switch t.values[i].kind {
	case '{', '[':
		return show(t, i, p)
	}
	if p.is(masked) {
		return hidden
	}
	return withoutSecrets(string(w.rules.normal(t, i)))
}

// causeOfStatus returns the cause of a difference of the statuses. The code of an error may
// depend on the way in which an item is read.
func causeOfStatus(want, got Document) Cause {
	failed := func(d Document) string { return strconv.FormatBool(d.Status >= http.StatusBadRequest) }
	return Cause{Values: digest(string(Status), failed(want), failed(got))}
}

// digest returns a short hash of texts, which is the same in every run.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d %s,", len(text), text) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// endpoints returns the rows of the table by their names.
var endpoints = sync.OnceValue(func() map[string]*mapping.Endpoint {
	all := make(map[string]*mapping.Endpoint, len(mapping.Table))
	for i := range mapping.Table {
		all[mapping.Table[i].Name()] = &mapping.Table[i]
	}
	return all
})
