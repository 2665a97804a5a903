package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
)

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
func (o owner) inside(d *documents, p *location, a, b int) owner {
	if p.resource == "" || o.other != "" {
		return o
	}
	i, ok := d.want.member(a, idName)
	j, both := d.got.member(b, idName)
	if at := p.at([]byte(idName)); ok && both && o.at != nil && d.rules.hash(d.want, i, at) != d.rules.hash(d.got, j, at) {
		o.place, o.other = p.below(o.at), d.values(at, Value, i, j)
		return o
	}
	inner := owner{at: p, resource: p.resource}
	if ok {
		inner.id = show(d.want, i, p.at([]byte(idName)))
	}
	return inner
}

// cause returns the cause of a difference of the values a and b at a location. resource is that of
// the documents.
func (d *documents) cause(resource string, p *location, kind Kind, a, b int, o owner) Cause {
	switch {
	case o.at == nil:
		return Cause{Resource: resource, Member: p.String(), Values: d.values(p, kind, a, b)}
	case o.other != "":
		return Cause{o.resource, o.id, o.place, o.other}
	}
	return Cause{o.resource, o.id, p.below(o.at), d.values(p, kind, a, b)}
}

// causeOfItem returns the cause of an item that one list alone has: of a list of the table the
// item itself, else the item that has the list.
func causeOfItem(resource string, inside *location, kind Kind, item string, o owner) Cause {
	if o.at == nil && inside.resource != "" {
		return cause(inside.resource, item, kind)
	}
	c := Cause{Resource: resource, Member: inside.String(), Values: digest(string(kind), item)}
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
func (d *documents) values(p *location, kind Kind, a, b int) string {
	return digest(string(kind), d.hashed(d.want, a, p), d.hashed(d.got, b, p))
}

// hashed returns what stands for a value in a hash. It is the same in every run.
func (d *documents) hashed(t *tree, i int, p *location) string {
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
	return withoutSecrets(string(d.rules.normal(t, i)))
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
