package statuspage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// health is a state in words: its class is bad, warn, idle or good.
type health struct{ Class, Word, Detail string }

const (
	downAfter   = 3  // consecutive failed calls
	failedShare = 5  // percent of responses with 5xx that are bad, as in the alert CalfacadeErrors
	lateAfter   = 60 // seconds that a purge waits for its target
)

// problems returns the faults, then the warnings, or a line that all is well.
func problems(lists ...[]health) []health {
	var bad, warn []health
	for _, h := range slices.Concat(lists...) {
		switch h.Class {
		case "bad":
			bad = append(bad, h)
		case "warn":
			warn = append(warn, h)
		}
	}
	if bad == nil && warn == nil {
		return []health{{"good", "All well", ""}}
	}
	return append(bad, warn...)
}

// root is a language with the REST root of the site for it.
type root struct {
	i18n.Language
	Name  string
	Zone  *time.Location // nil: unknown
	State health         // Detail is the cause
	Calls upstream.RootStats
}

// roots returns the languages, in order.
func (p *page) roots(stats []upstream.RootStats) (all []root) {
	for _, l := range p.options.Site {
		r := root{Language: l, Name: i18n.Catalog(l.Code).Text("page.language", nil)}
		if p.Zone != nil {
			r.Zone = p.Zone(l.Code)
		}
		// A root has the code of the first language that uses it.
		shared := slices.IndexFunc(p.options.Site, func(o i18n.Language) bool { return o.Upstream == l.Upstream })
		for _, u := range stats {
			if u.Root == p.options.Site[shared].Code {
				r.Calls = u
			}
		}
		r.State = rootHealth(r.Calls)
		all = append(all, r)
	}
	return all
}

func rootHealth(u upstream.RootStats) health {
	switch {
	case u.NamespaceMissing:
		return health{"bad", "without its calendar plugin", "the last calls found no route"}
	case u.State == upstream.Open, u.State == upstream.HalfOpen, u.Outage.Calls >= downAfter:
		return health{"bad", "down", cmp.Or(u.Outage.Cause, "too many calls fail")}
	case u.Outage.Calls > 0:
		return health{"warn", "failed its last call", u.Outage.Cause}
	case u.Calls == 0:
		return health{"idle", "not called yet", ""}
	}
	return health{"good", "up", ""}
}

// siteHealth returns each problem of the site once, however many of its roots have it.
func siteHealth(roots []root, cached bool, h history, last sample) (all []health) {
	var states []health
	codes, began := map[health][]string{}, map[health]time.Time{}
	for _, r := range roots {
		if codes[r.State] == nil {
			states, began[r.State] = append(states, r.State), r.Calls.Outage.Since
		}
		codes[r.State] = append(codes[r.State], r.Code)
		if r.Calls.Outage.Since.Before(began[r.State]) {
			began[r.State] = r.Calls.Outage.Since
		}
	}
	for _, s := range states {
		line := health{s.Class, "Site ", ""}
		if len(codes[s]) < len(roots) {
			line.Word += "in " + strings.Join(codes[s], ", ") + " "
		}
		line.Word += s.Word
		if since := began[s]; s.Word == "down" && !since.IsZero() {
			line.Word += " since " + clock(since, last.at)
			line.Detail = outageText(cached, last.refused-h.since(since, last).refused)
		}
		line.Word += ": " + s.Detail
		all = append(all, line)
	}
	return all
}

// outageText describes what clients get while the site is down.
func outageText(cached bool, refused float64) string {
	text := "Requests get 503"
	if cached {
		text = "Readers get stored answers"
	}
	if refused > 0 {
		text += fmt.Sprintf(", %s writes were refused", count(refused))
	}
	return text + "."
}

// errorHealth judges the responses between two samples.
func errorHealth(from, to sample) []health {
	failed, all := to.failed-from.failed, to.requests-from.requests
	if failed == 0 {
		return nil
	}
	class := "warn"
	if 100*failed >= failedShare*all {
		class = "bad"
	}
	return []health{{class, "Server errors", fmt.Sprintf("%s of %s responses of the last minute", count(failed), count(all))}}
}

// certificateHealth reports that the program's own certificate should have been renewed.
func certificateHealth(end, now time.Time) health {
	if end.IsZero() || end.Sub(now) >= telemetry.CertificateRenewal {
		return health{}
	}
	return health{"warn", "The certificate ends soon", "on " + end.UTC().Format(time.DateTime) + " UTC: renew it"}
}

func redisHealth(up bool, pending int) health {
	switch {
	case !up:
		return health{"bad", "Redis down", fmt.Sprintf("This instance serves alone. Purges that the others do not know: %s.",
			count(pending))}
	case pending > 0:
		return health{"warn", "Redis: purges are pending", fmt.Sprintf("The other instances do not know %s yet.", count(pending))}
	}
	return health{"good", "Up", ""}
}

// targetHealth returns the state of a target of purges.
func targetHealth(s onward.Status) health {
	switch {
	case s.Refused > 0:
		return health{"bad", "has refused purges", "send them again with calfacade purge --replay; the last failure here: " +
			cmp.Or(s.Fault, "none")}
	case s.Fault != "" && s.Waiting > 0:
		return health{"warn", "does not accept purges", s.Fault}
	case s.Lag > lateAfter:
		return health{"warn", "gets purges late", ""}
	}
	return health{"good", "up to date", ""}
}

func targetsHealth(targets []onward.Status) (all []health) {
	for _, t := range targets {
		h := targetHealth(t)
		all = append(all, health{h.Class, "Purges to " + t.Name + ": " + h.Word, h.Detail})
	}
	return all
}

// writesHealth reports that writes are refused, by an operator or since this instance does not
// know what all instances have decided.
func writesHealth(writes string, d admin.Decisions, s staging.Snapshot) (all []health) {
	if s.Candidate != "" && !d.Known {
		all = append(all, health{"bad", "Writes are refused", "Redis does not answer: this instance does not know what all have decided"})
	}
	if writes == "refused" {
		all = append(all, health{"warn", "Writes are refused", ""})
	}
	return all
}

// stagingHealth lists what was rolled back and not changed since, and counts the responses of the
// candidate that failed or differ, each since the last change of its state.
func stagingHealth(s staging.Snapshot) (all []health) {
	if s.Candidate == "" {
		return nil
	}
	var back, failing, differing []staging.Cell
	var n staging.Counts
	for _, c := range s.Cells {
		if c.Who == staging.ByRollback {
			back = append(back, c.Cell)
			continue
		}
		if c.Failures > 0 {
			failing, n.Failures, n.Calls = append(failing, c.Cell), n.Failures+c.Failures, n.Calls+c.Calls
		}
		if c.Different > 0 {
			differing, n.Different, n.Compared = append(differing, c.Cell), n.Different+c.Different, n.Compared+c.Compared
		}
	}
	if back != nil {
		all = append(all, health{"warn", "Rolled back: " + staging.Describe(back), ""})
	}
	if failing != nil {
		all = append(all, health{"warn", "Responses of " + s.Candidate + " fail", portion(n.Failures, n.Calls) + ", " +
			staging.Describe(failing)})
	}
	if differing != nil {
		all = append(all, health{"warn", "Responses of " + s.Candidate + " differ", portion(n.Different, n.Compared) + ", " +
			staging.Describe(differing)})
	}
	return all
}

// metrics are the series of a scrape by the name of the metric.
type metrics map[string][]series

type series struct {
	Label map[string]string
	value float64 // of a histogram the sum
}

// One returns the value of a metric without labels; 0 if there is none.
func (m metrics) One(name string) float64 {
	if len(m[name]) == 0 {
		return 0
	}
	return m[name][0].value
}

// scrape returns the metrics, as far as they can be read.
func scrape(from *telemetry.Metrics) metrics {
	families, _ := from.Gatherer().Gather()
	m := metrics{}
	for _, f := range families {
		for _, read := range f.GetMetric() {
			s := series{Label: map[string]string{}, value: read.GetCounter().GetValue() + read.GetGauge().GetValue() +
				read.GetHistogram().GetSampleSum()}
			for _, l := range read.GetLabel() {
				s.Label[l.GetName()] = l.GetValue()
			}
			m[f.GetName()] = append(m[f.GetName()], s)
		}
	}
	return m
}
