package survey

import (
	"context"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// get makes a call, and counts the response.
func (w *Warmer) get(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
	if err := ctx.Err(); err != nil { // the client would make the call
		return compare.Document{}, err
	}
	d, header, err := w.client.Get(ctx, call, language)
	if header == nil {
		w.unreachable(ctx, err)
		return d, err
	}
	w.responded.Store(true)
	if err == nil {
		w.count(header.Get("Cache-Status"))
	}
	return d, err
}

// count counts a response by its Cache-Status.
func (w *Warmer) count(status string) {
	switch {
	case strings.Contains(status, "calfacade; hit"):
		w.hits.Add(1)
	case strings.Contains(status, "calfacade; fwd="):
		w.made.Add(1)
	default:
		w.uncached.Add(1)
	}
}
