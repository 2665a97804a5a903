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
func (o owner) inside(c *Comparer, p *location, a, b *node) owner {
	if p.resource == "" || o.other != "" {
		return o
	}
	id, there, at := a.member(idName), b.member(idName), p.at(idName)
	if id != nil && there != nil && o.at != nil && !c.same(id, there, at) {
		o.place, o.other = p.below(o.at), c.values(at, Value, id, there)
		return o
	}
	inner := owner{at: p, resource: p.resource}
	if id != nil {
		inner.id = show(id, at)
	}
	return inner
}

// cause returns the cause of a difference of the values a and b at a location.
func (w *walker) cause(p *location, kind Kind, a, b *node, o owner) Cause {
	switch {
	case o.at == nil:
		return Cause{Resource: w.resource, Member: p.String(), Values: w.rules.values(p, kind, a, b)}
	case o.other != "":
		return Cause{o.resource, o.id, o.place, o.other}
	}
	return Cause{o.resource, o.id, p.below(o.at), w.rules.values(p, kind, a, b)}
}

// causeOfItem returns the cause of an item that one list alone has: of a list of the table the
// item itself, else the item that has the list.
func causeOfItem(resource string, inside *location, kind Kind, item string, o owner) Cause {
	switch {
	case o.at != nil:
		return Cause{o.resource, o.id, inside.below(o.at), digest(string(kind), item)}
	case inside.resource != "":
		return Cause{Resource: inside.resource, ID: item, Values: digest(string(kind))}
	}
	return Cause{Resource: resource, Member: inside.String(), Values: digest(string(kind), item)}
}

// MissingItem returns the cause of an item that the candidate's list lacks.
func MissingItem(resource, id string) Cause {
	return Cause{Resource: resource, ID: id, Values: digest(string(Missing))}
}

// values returns a hash of a kind of difference and both values, which is the same in every run. What
// is not shown is no part of it: values that differ only in that have the same hash.
func (c *Comparer) values(p *location, kind Kind, a, b *node) string {
	hashed := func(n *node) string {
		switch {
		case n == nil:
			return ""
		case n.isScalar() && !p.is(masked):
			return withoutSecrets(c.normal(n))
		}
		return show(n, p)
	}
	return digest(string(kind), hashed(a), hashed(b))
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
