package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
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
