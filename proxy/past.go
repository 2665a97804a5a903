package proxy

import (
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// past is how a read passes a cache at the site, in the order in which the ways are tried.
type past int

const (
	notPast     past = iota
	revalidated      // with Cache-Control: no-cache (RFC 9111, 5.2.1.4), which many caches ignore
	byNewURL         // at a URL that no cache knows
)

// set makes a request pass a cache. The header is the request's.
func (p past) set(out *mapping.Request, h http.Header) {
	h.Set("Cache-Control", "no-cache")
	if p == byNewURL {
		upstream.MakeNew(out)
	}
}

// oldestStored is the oldest response of a cache at the site among the responses to a call.
type oldestStored struct {
	upstream.Stored
	root string // that sent it
}

func (s *oldestStored) add(next upstream.Stored, root string) {
	if s.Field == "" || next.Field != "" && s.Aged && (!next.Aged || next.Age > s.Age) {
		s.Stored, s.root = next, root
	}
}
