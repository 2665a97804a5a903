package proxy

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/identity"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// conditions are what a client lets a write depend on, so as not to undo what somebody
// else has changed since it read (RFC 9110, 13.1). The site has no such thing: the item is
// read before the write, and a change between the two is not seen.
type conditions struct {
	match, noneMatch []string  // lines of the fields; nil: not there
	unmodified       time.Time // zero: not there, or to be ignored
}

func conditionsOf(h http.Header) conditions {
	c := conditions{match: h["If-Match"], noneMatch: h["If-None-Match"]}
	if c.match == nil {
		c.unmodified, _ = http.ParseTime(h.Get("If-Unmodified-Since")) // what is no date is ignored (13.1.4)
	}
	return c
}

func (c conditions) none() bool {
	return c.match == nil && c.noneMatch == nil && c.unmodified.IsZero()
}

// hold reports whether a write may be made of what has this representation now. What does
// not say when it was modified, as a category, was modified at no time.
func (c conditions) hold(body []byte) bool {
	tag := etag(body)
	return (c.match == nil || matchesStrongly(c.match, tag)) &&
		!matches(c.noneMatch, tag) &&
		(c.unmodified.IsZero() || !mapping.Modified(body).After(c.unmodified))
}

// check reads what x is about to change, as its client sees it, and returns an error where
// the conditions do not hold. lookup is the first read that the write needs anyway; where
// it is of the item it is made here, and its answer is returned. x may have been answered.
func (f *Facade) check(x *exchange, c conditions, lookup *mapping.Call, who identity.Identity) (*answer, error) {
	if lookup == nil || !lookup.Edits {
		now, err := f.read(x, x.call.Target(), who)
		if now == nil {
			return nil, err
		}
		return nil, c.verdict(now)
	}
	read, err := f.read(x, lookup, who)
	if read == nil {
		return nil, err
	}
	// What is read to be edited may show more than its client saw. Where it does not
	// match, that proves nothing.
	if !x.backend.speech.Opens(lookup) || c.noneMatch == nil && c.hold(read.body.Body) {
		return read, c.verdict(read)
	}
	now, err := f.obtain(x.context(), x.backend, question{x.call.Target(), x.choice, who, upstream.Write}, &x.upstream)
	if err != nil {
		return nil, err
	}
	if now.reply.Status != http.StatusOK {
		return read, c.verdict(read)
	}
	return read, c.verdict(&now)
}

// verdict is an error where the conditions do not hold for an answer.
func (c conditions) verdict(now *answer) error {
	if c.hold(now.body.Body) {
		return nil
	}
	return &problem.Error{
		Status: http.StatusPreconditionFailed, Code: "calendar_precondition_failed",
		Header: http.Header{"Etag": {etag(now.body.Body)}},
	}
}
