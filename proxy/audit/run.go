package audit

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"
)

// New returns an auditor, which runs until Close; nil if the options disable it.
func New(o Options) *Auditor {
	if o.Interval <= 0 || o.Ledger == nil || o.Cache == nil {
		return nil
	}
	a := &Auditor{options: o.withDefaults(), samples: make(chan Sample, 1), open: map[string]*finding{}, logged: rate.NewLimiter(rate.Every(logEvery), logBurst)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.running.Go(a.run)
	return a
}

// Close ends the audit. Findings whose cause is not decided get the one that the evidence shows now.
func (a *Auditor) Close() {
	if a != nil {
		a.cancel()
		a.running.Wait()
	}
}

// checkEvery is how often open findings are checked.
const checkEvery = time.Second

// run takes the next answer after each of many random moments: answers are sampled as often as they are
// served.
func (a *Auditor) run() {
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	next := time.NewTimer(a.pause())
	defer next.Stop()
	for {
		select {
		case <-a.ctx.Done():
			a.decideAll()
			return
		case <-next.C:
			a.armed.Store(true)
		case s := <-a.samples:
			a.audit(s)
			next.Reset(a.pause())
		case <-check.C:
			a.check()
		}
	}
}

// pause returns the time until the next sample: of a Poisson process, so that no rhythm of the traffic
// or of the site hides anything.
func (a *Auditor) pause() time.Duration {
	return time.Duration(min(rand.ExpFloat64(), 10) * float64(a.options.Interval))
}
