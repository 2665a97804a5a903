package audit

import (
	"context"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// audit audits a sample, and counts it.
func (a *Auditor) audit(s Sample) {
	ctx, cancel := context.WithTimeout(a.ctx, a.options.Timeout)
	defer cancel()
	skip := a.examine(ctx, s)
	if a.ctx.Err() == nil && skip != "" {
		a.options.Ledger.skip(skip, 1)
	}
}

// examine compares an entry with the site. The result is counted, unless it returns why there is none,
// or the entry is suspected: then findings.go counts it.
func (a *Auditor) examine(ctx context.Context, s Sample) Skip {
	held := a.options.Cache.Held(s.Key)
	switch {
	case held == nil:
		return Changed
	case a.nearMidnight(s.Call, s.Language, held):
		return Clock
	}
	first, err := s.Read(ctx)
	if err != nil {
		return Unread
	}
	endpoint, was := s.Call.Endpoint.Name(), compare.Document{Status: held.Status, Body: held.Body}
	if len(compare.Unknown(a.options.Comparer.Documents(endpoint, first, was))) == 0 {
		a.same(s.Key)
		return ""
	}
	if known := a.open[s.Key]; known != nil && known.is(held) {
		return a.sampleAgain(known)
	}
	if len(a.open) >= maxOpen {
		return Full
	}
	// What the site does not say twice proves nothing.
	again, err := s.Read(ctx)
	if err != nil {
		return Unread
	}
	found, _ := a.options.Comparer.Real(endpoint, first, again, was)
	if found = compare.Unknown(found); len(found) == 0 {
		a.same(s.Key)
		return ""
	}
	if now := a.options.Cache.Held(s.Key); now == nil || !isSame(now, held) {
		return Changed
	}
	a.suspect(s, held, found)
	return ""
}

// same counts an answer that is what the site says.
func (a *Auditor) same(key string) {
	if known := a.open[key]; known != nil && (known.shown == nil || known.shown.Cause != "") {
		a.replaced(key) // or the site has returned to what it said before
	}
	a.options.Ledger.count(a.options.Clock(), 1, 0)
}

// midnightMargin is the largest difference of the clocks of site and facade.
const midnightMargin = 5 * time.Minute

// nearMidnight reports whether the response depends on the day, and the site may have had another one when
// the entry was fetched, or have another one now.
func (a *Auditor) nearMidnight(call *mapping.Call, language string, held *cache.Entry) bool {
	if !call.ByClock() {
		return false
	}
	midnight := mapping.NextMidnight(held.Created.Add(-midnightMargin), a.options.Zone(language))
	return midnight.Before(a.options.Clock().Add(midnightMargin))
}
