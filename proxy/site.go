package proxy

import (
	"context"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/edge"
)

// site serves the resolved requests of one backend, and knows no other backend.
type site struct {
	*base
	backend  *backend
	accepted *accepted
	report   func(context.Context, backendCall, neutralResponse, error) // is called after each call; nil reports nothing
	record   []zap.Field                                                // fields of this site's records beside the common ones
	warned   sync.Once                                                  // logs that the site prevents caching
}

// base has the parts that a facade shares with its sites.
type base struct {
	options Options
	edge    *edge.Edge
	spaces  mapping.TagSpaces
	vary    []string // Vary of entries
}

// key returns the key in the cache of the response to a request.
func (s *site) key(t *target) string {
	language := s.options.Site[t.choice.Index].Code
	d := t.description
	if d != nil {
		return strings.Join([]string{s.backend.shape, "description", language, d.Method, d.Path + "?" + d.Query}, ":")
	}
	return t.call.Key(s.backend.shape, language)
}

// newSite makes the site of a backend. record has the fields of the site's log records.
func newSite(shared *base, b *backend, record ...zap.Field) *site {
	return &site{base: shared, backend: b, accepted: newAccepted(), record: record}
}
