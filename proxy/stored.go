package proxy

import (
	"strings"

	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// onlyIfCached reports whether a client accepts only a stored response (RFC 9111, 5.2.1.7).
func onlyIfCached(control []string) bool {
	for directive := range strings.SplitSeq(strings.Join(control, ","), ",") {
		if strings.EqualFold(strings.TrimSpace(directive), "only-if-cached") {
			return true
		}
	}
	return false
}

// serveStored serves x from memory, without a call. An entry that Redis alone has is not looked for: the
// fetch of a key is shared, and others would get this refusal.
func (s *site) serveStored(x *exchange, shared bool) error {
	if !shared {
		return problem.NotCached()
	}
	stored, ok := s.stored(x)
	if !ok {
		return problem.NotCached()
	}
	x.outcome = telemetry.OutcomeOf(stored)
	if len(x.target.fields) > 0 {
		stored.Entry = x.selected(stored.Entry)
	}
	s.respondEntry(x, stored)
	return nil
}
