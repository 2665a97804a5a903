package proxy

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// conditions are the preconditions of a write, so that a client does not overwrite a change
// that it has not seen (RFC 9110, 13.1). The site does not support them: the item is read
// before the write, and a change between the two goes unnoticed.
type conditions struct {
	match, noneMatch []string  // lines of the fields; nil: absent
	unmodified       time.Time // zero: absent, or to be ignored
}

func conditionsOf(x *exchange) conditions {
	h := x.in.Header
	c := conditions{match: h["If-Match"], noneMatch: h["If-None-Match"]}
	if c.match == nil {
		c.unmodified, _ = http.ParseTime(h.Get("If-Unmodified-Since")) // an invalid date is ignored (13.1.4)
	}
	return c
}

func (c conditions) none() bool {
	return c.match == nil && c.noneMatch == nil && c.unmodified.IsZero()
}

// hold reports whether the conditions hold for an item with this representation. An item
// without a date of modification, such as a category, counts as never modified.
func (c conditions) hold(of rewrite.Result) bool {
	tag := etag(of.Body)
	return (c.match == nil || matchesStrongly(c.match, tag)) &&
		!matches(c.noneMatch, tag) &&
		(c.unmodified.IsZero() || !mapping.Modified(of.Body).After(c.unmodified))
}

// check reads what x is about to change, as its client sees it, and returns an error if the
// conditions do not hold. lookup is the first read that the write needs anyway: if it reads
// the item, check makes it and returns its response. check may have responded to x.
func (f *Facade) check(x *exchange, c conditions, lookup *mapping.Call, id identity.Identity) (*response, error) {
	if lookup == nil || !lookup.Edits {
		now, err := f.read(x, x.call.Target(), id)
		if now == nil {
			return nil, err
		}
		return nil, c.verdict(now)
	}
	read, err := f.read(x, lookup, id)
	if read == nil {
		return nil, err
	}
	// A read for editing may show more than the client saw. If it does not match, that
	// proves nothing.
	if !x.backend.dialect.Opens(lookup) || c.noneMatch == nil && c.hold(read.body) {
		return read, c.verdict(read)
	}
	now, err := f.obtain(x.context(), x.backend, backendCall{x.call.Target(), x.choice, id, upstream.Write}, &x.calls)
	if err != nil {
		return nil, err
	}
	if now.reply.Status != http.StatusOK {
		return read, c.verdict(read)
	}
	return read, c.verdict(&now)
}

// verdict returns an error if the conditions do not hold for a response.
func (c conditions) verdict(now *response) error {
	if c.hold(now.body) {
		return nil
	}
	return &problem.Error{
		Status: http.StatusPreconditionFailed, Code: "calendar_precondition_failed",
		Header: http.Header{"Etag": {etag(now.body.Body)}},
	}
}
