package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Warmer requests everything that a facade shows.
type Warmer struct {
	client      *http.Client
	links       Links
	read        Reader
	concurrency int
	maxBody     int64
	progress    *counter
	journal     *WarmJournal

	responded            atomic.Bool             // there was any response
	abandon              context.CancelCauseFunc // of Run
	hits, made, uncached atomic.Int64            // responses by their origin
	Failed               int
	failures             []report.Located
	failedIn             map[string]bool // by cell
	resumed              int             // steps of the interrupted run
}

// WarmOptions are the options of a [Warmer].
type WarmOptions struct {
	Roots       []rewrite.Root // of the facade, by language
	Timeout     time.Duration  // of a call
	MaxBody     int64          // of a response, in bytes
	Rate        float64        // calls per second; 0 disables the limit
	Concurrency int            // calls in flight
	Journal     *WarmJournal   // nil keeps none
}

func NewWarmer(o WarmOptions) *Warmer {
	w := &Warmer{
		client: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: o.Concurrency},
			Timeout:       o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		links:       NewLinks(o.Roots),
		concurrency: o.Concurrency,
		maxBody:     o.MaxBody,
		journal:     o.Journal,
		failedIn:    map[string]bool{},
	}
	w.read = Patient(Paced(w.get, o.Rate), waitOf)
	return w
}

// ErrNoFacade is the error of a [Warmer] that cannot reach the facade.
var ErrNoFacade = errors.New("the facade does not respond")

// Run requests everything in the languages, and shows its progress on stderr. It gives up with
// [ErrNoFacade] if there is no response to the first calls, or no connection later.
func (w *Warmer) Run(ctx context.Context, languages []string, stderr io.Writer) error {
	defer w.client.CloseIdleConnections()
	ctx, w.abandon = context.WithCancelCause(ctx)
	defer w.abandon(nil)
	cells := cellsOf(languages)
	w.progress = newCounter(len(cells), time.Now)
	stop := w.progress.show(stderr)
	err := w.walk(ctx, cells)
	stop()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrNoFacade):
		return cause
	case err != nil && cause != nil:
		return ErrCutOff
	}
	return err
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

// walk requests the lists and items of every cell that the interrupted run did not complete. It
// begins with the first pages of all lists, which announce the rest. Its error is that of ctx, or
// of the journal.
func (w *Warmer) walk(ctx context.Context, cells []cell) error {
	lists := make([]*listing, len(cells))
	for i, c := range cells {
		if steps := w.journal.steps(c); steps > 0 {
			w.progress.expect(c, steps)
			w.skip(c, steps)
			continue
		}
		lists[i] = newListing(w.read, c)
		_, err := w.read(ctx, crawl.Plain(c.list), c.language)
		w.did(ctx, c, crawl.Plain(c.list), err)
		w.page(ctx, c, lists[i])
	}
	for i, c := range cells {
		if lists[i] == nil {
			continue
		}
		if err := w.cell(ctx, c, lists[i]); err != nil {
			return err
		}
		lists[i] = nil
	}
	return nil
}

// page requests the next page of a list.
func (w *Warmer) page(ctx context.Context, c cell, list *listing) {
	p := list.page(ctx)
	if p.err == nil && !p.good {
		p.err = p.noList()
	}
	w.progress.expect(c, 1+max(1, p.Pages)+p.Total)
	w.did(ctx, c, p.call, p.err)
}

// cell requests the other pages of a list, and its items without those of the interrupted run.
func (w *Warmer) cell(ctx context.Context, c cell, list *listing) error {
	for list.next != nil {
		w.page(ctx, c, list)
	}
	w.progress.expect(c, w.progress.of(c)+len(list.items))
	todo := slices.DeleteFunc(slices.Clone(list.items), func(n named) bool { return w.journal.has(c, n.ID) })
	w.skip(c, len(list.items)-len(todo))
	if err := w.items(ctx, c, todo); err != nil {
		return err
	}
	if w.failedIn[c.String()] {
		return nil // the next run requests it again
	}
	return w.journal.end(c, w.progress.of(c))
}

// skip counts steps of the interrupted run.
func (w *Warmer) skip(c cell, steps int) {
	w.resumed += steps
	w.progress.skip(c, steps)
}

func (w *Warmer) items(ctx context.Context, c cell, items []named) error {
	ask := func(ctx context.Context, n named) step {
		s := step{Name: n.ID}
		for _, call := range crawl.Reads(c.resource(), n.ID, n.Slug) {
			_, err := w.read(ctx, call, c.language)
			s.fail(call, "", err)
		}
		return s
	}
	return inOrder(ctx, w.concurrency, slices.Values(items), ask, func(s step) error {
		w.take(ctx, c, s)
		if err := ctx.Err(); err != nil || len(s.Failed) > 0 {
			return err
		}
		return w.journal.item(c, s.Name)
	})
}

func (w *Warmer) did(ctx context.Context, c cell, call *mapping.Call, err error) {
	var s step
	s.fail(call, "", err)
	w.take(ctx, c, s)
}

// take counts failures, except those that follow from the end of ctx.
func (w *Warmer) take(ctx context.Context, c cell, s step) {
	if ctx.Err() != nil {
		return
	}
	w.progress.did(c, len(s.Failed), false)
	w.Failed += len(s.Failed)
	if len(s.Failed) > 0 {
		w.failedIn[c.String()] = true
	}
	for _, f := range s.Failed[:min(len(s.Failed), maxFailures-len(w.failures))] {
		w.failures = append(w.failures, report.Located{Language: c.language, Resource: c.resource(), Failure: f})
	}
}
