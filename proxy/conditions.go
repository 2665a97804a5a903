package proxy

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/problem"
)

// conditions are the preconditions of a write, so that a client does not overwrite an unseen change (RFC 9110,
// 13.1). The site does not support them: the item is read before the write, and a change between the two goes
// unnoticed.
type conditions struct {
	match, noneMatch []string  // lines of the fields; nil: absent
	unmodified       time.Time // zero: absent, or to be ignored
}

// conditionsOf returns the conditions of a write; nil without any.
func conditionsOf(h http.Header) *conditions {
	c := conditions{match: h["If-Match"], noneMatch: h["If-None-Match"]}
	if c.match == nil {
		c.unmodified, _ = http.ParseTime(h.Get("If-Unmodified-Since")) // an invalid date is ignored (13.1.4)
	}
	if c.match == nil && c.noneMatch == nil && c.unmodified.IsZero() {
		return nil
	}
	return &c
}

// verdict returns an error if the conditions do not hold for an item with this representation. An item
// without a date of modification, such as a category, counts as never modified.
func (c *conditions) verdict(item []byte) error {
	tag := etag(item)
	if c.match != nil && !matches(c.match, tag, true) || matches(c.noneMatch, tag, false) ||
		!c.unmodified.IsZero() && mapping.Modified(item).After(c.unmodified) {
		return problem.PreconditionFailed(tag)
	}
	return nil
}
