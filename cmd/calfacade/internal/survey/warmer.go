package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Warmer requests everything that a facade shows.
type Warmer struct {
	Client    *Client // of the facade
	Languages []string
	Rate      float64 // calls per second; 0 disables the limit

	walk
	reader                Reader
	abandon               context.CancelCauseFunc // of Run
	hits, added, uncached atomic.Int64            // responses by their origin
}

// Warmed counts the requests of a [Warmer].
type Warmed struct {
	Cached   int64             `json:"cached"`   // responses that were in the cache
	Added    int64             `json:"added"`    // to the cache
	Foreign  int64             `json:"foreign"`  // responses without a Cache-Status of calfacade
	Failed   int               `json:"failed"`   // calls
	Failures []compare.Failure `json:"failures"` // the first of them
}

// ErrNoFacade is the error of a [Warmer] that has no connection to the facade.
var ErrNoFacade = errors.New("the facade does not respond")

// Run requests everything, and shows progress on stderr. Run returns [ErrNoFacade] early where all other
// calls would fail too.
func (w *Warmer) Run(ctx context.Context, stderr io.Writer) (Warmed, error) {
	defer w.Client.HTTP.CloseIdleConnections()
	ctx, w.abandon = context.WithCancelCause(ctx)
	defer w.abandon(nil)
	w.reader = Paced(w.get, w.Rate)
	w.walk = walk{languages: w.Languages, readList: w.list, readItem: w.item, findings: new(compare.Findings)}
	err := w.run(ctx, "warm", stderr)
	if cause := context.Cause(ctx); errors.Is(cause, ErrNoFacade) {
		err = cause
	}
	r := w.findings.Snapshot()
	return Warmed{
		Cached:   w.hits.Load(),
		Added:    w.added.Load(),
		Foreign:  w.uncached.Load(),
		Failed:   r.Sum().Failed,
		Failures: append([]compare.Failure{}, r.Failures...),
	}, err
}

// list requests a list as clients do, and completely.
func (w *Warmer) list(ctx context.Context, c collection) []mapping.Listed {
	s := c.step("")
	plain := mapping.PlainList(c.list)
	_, err := w.reader(ctx, plain, c.language)
	fail(&s, plain, "", err)
	l := newListing(w.reader, c)
	for ; l.next != nil; s = c.step("") {
		l.advance(ctx)
		fail(&s, l.page.call, "", l.page.problem)
		_ = w.take(ctx, s) // run looks at ctx
	}
	return l.items
}

func (w *Warmer) item(ctx context.Context, c collection, item mapping.Listed) compare.Step {
	s := c.step(item.ID)
	for _, call := range mapping.ItemReads(c.resource(), item.ID, item.Slug) {
		_, err := w.reader(ctx, call, c.language)
		fail(&s, call, "", err)
	}
	return s
}

// Print writes the first failures and the counts.
func (w Warmed) Print(out io.Writer) error {
	failed := printFailures(out, w.Failures)
	if w.Foreign > 0 {
		_, _ = fmt.Fprintf(out, "%d responses have no Cache-Status of calfacade: is it another server?\n", w.Foreign)
	}
	_, err := fmt.Fprintf(out, "%d responses were in the cache, %d were added, %d calls failed\n", w.Cached, w.Added, w.Failed)
	return errors.Join(failed, err)
}

// get makes a call, and counts the response by the Cache-Status field.
func (w *Warmer) get(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
	d, header, err := w.Client.Get(ctx, call, language)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		w.abandon(fmt.Errorf("%w: %w", ErrNoFacade, err))
	}
	status := header.Get(cacheStatus)
	switch {
	case err != nil:
	case strings.Contains(status, "calfacade; hit"):
		w.hits.Add(1)
	case strings.Contains(status, "calfacade; fwd="):
		w.added.Add(1)
	default:
		w.uncached.Add(1)
	}
	return d, err
}
