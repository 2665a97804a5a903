package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// Warmer requests everything that a facade shows.
type Warmer struct {
	client      *Client
	read        Reader
	concurrency int
	progress    *terminal.Bar

	responded            atomic.Bool             // there was any response
	abandon              context.CancelCauseFunc // of Run
	hits, made, uncached atomic.Int64            // responses by their origin
	failed               int
	failures             []Located
}

// WarmOptions are the options of a [Warmer].
type WarmOptions struct {
	Client      *Client // of the facade
	Rate        float64 // calls per second; 0 disables the limit
	Concurrency int     // calls in flight
}

func NewWarmer(o WarmOptions) *Warmer {
	w := &Warmer{client: o.Client, concurrency: o.Concurrency}
	w.read = Patient(Paced(w.get, o.Rate), waitOf)
	return w
}

// ErrNoFacade is the error of a [Warmer] that cannot reach the facade.
var ErrNoFacade = errors.New("the facade does not respond")

// Run requests everything in the languages, and shows its progress on stderr. It gives up with
// [ErrNoFacade] if there is no response to the first calls, or no connection later.
func (w *Warmer) Run(ctx context.Context, languages []string, stderr io.Writer) error {
	defer w.client.http.CloseIdleConnections()
	ctx, w.abandon = context.WithCancelCause(ctx)
	defer w.abandon(nil)
	w.progress = terminal.NewBar(stderr, "warm")
	defer w.progress.Close()
	err := w.walk(ctx, cellsOf(languages))
	if cause := context.Cause(ctx); errors.Is(cause, ErrNoFacade) {
		return cause
	}
	if err != nil {
		return ErrCutOff
	}
	return nil
}

// walk requests all lists, which announce the items, and then these. The only error is ctx.Err.
func (w *Warmer) walk(ctx context.Context, cells []cell) error {
	lists, items := make([]*listing, len(cells)), 0
	for i, c := range cells {
		w.progress.Describe(c.String())
		_, err := w.read(ctx, crawl.Plain(c.list), c.language)
		w.did(ctx, c, crawl.Plain(c.list), err)
		lists[i] = newListing(w.read, c)
		for lists[i].next != nil {
			p := lists[i].page(ctx)
			if p.err == nil && !p.good {
				p.err = p.noList()
			}
			w.did(ctx, c, p.call, p.err)
		}
		items += len(lists[i].items)
	}
	w.progress.Expect(items)
	for i, c := range cells {
		w.progress.Describe(c.String())
		request := func(n named) (s Step) {
			for _, call := range crawl.Reads(c.resource(), n.ID, n.Slug) {
				_, err := w.read(ctx, call, c.language)
				fail(&s, call, "", err)
			}
			return s
		}
		err := inOrder(w.concurrency, lists[i].items, request, func(s Step) error {
			w.take(ctx, c, s)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		lists[i] = nil
	}
	return ctx.Err()
}

// Responded reports whether there was any response.
func (w *Warmer) Responded() bool { return w.responded.Load() }

// unreachable ends Run if err, of a call without a response, shows that all others will fail.
func (w *Warmer) unreachable(ctx context.Context, err error) {
	op, ok := errors.AsType[*net.OpError](err)
	if dialed := ok && op.Op == "dial"; ctx.Err() == nil && (dialed || !w.Responded()) {
		w.abandon(fmt.Errorf("%w: %w", ErrNoFacade, err))
	}
}

func (w *Warmer) did(ctx context.Context, c cell, call *mapping.Call, err error) {
	var s Step
	fail(&s, call, "", err)
	w.take(ctx, c, s)
}

// take counts failures, except those that follow from the end of ctx.
func (w *Warmer) take(ctx context.Context, c cell, s Step) {
	if ctx.Err() != nil {
		return
	}
	w.progress.Add()
	w.failed += len(s.Failed)
	s.Language, s.Resource = c.language, c.resource()
	w.failures = AppendFailures(w.failures, s)
}

// Warmed counts the requests of a [Warmer].
type Warmed struct {
	Cached   int64     `json:"cached"`   // responses that were in the cache
	Added    int64     `json:"added"`    // to the cache
	Foreign  int64     `json:"foreign"`  // responses without a Cache-Status of calfacade
	Failed   int       `json:"failed"`   // calls
	Failures []Located `json:"failures"` // the first of them
}

// Warmed returns what was done so far.
func (w *Warmer) Warmed() Warmed {
	return Warmed{w.hits.Load(), w.made.Load(), w.uncached.Load(), w.failed, slices.Concat([]Located{}, w.failures)}
}

// Print writes the counts and the first failures.
func (w Warmed) Print(to io.Writer) error {
	_, err := fmt.Fprintf(to, "%d responses were in the cache, %d were added, %d calls failed\n", w.Cached, w.Added, w.Failed)
	if w.Foreign > 0 {
		_, _ = fmt.Fprintf(to, "%d responses have no Cache-Status of calfacade: is cache.enabled false, or is it another server?\n",
			w.Foreign)
	}
	return errors.Join(err, PrintFailures(to, w.Failures))
}

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
