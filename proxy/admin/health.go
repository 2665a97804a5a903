package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const (
	downAfter   = 3  // consecutive failed calls
	failedShare = 5  // percent of responses with 5xx that are bad, as in the alert CalfacadeErrors
	lateAfter   = 60 // seconds that a purge waits for the target
)

// problems returns the faults, then the warnings, or a line that all is well.
func problems(lists ...[]Health) []Health {
	list := slices.DeleteFunc(slices.Concat(lists...), func(h Health) bool { return h.Class != bad && h.Class != Warn })
	slices.SortStableFunc(list, func(a, b Health) int { return cmp.Compare(a.Class, b.Class) })
	if len(list) == 0 {
		return []Health{{good, "All well", ""}}
	}
	return list
}

// root is a language with the site's REST root of the language.
type root struct {
	Code, Name, Path, Zone string
	State                  Health // Detail is the cause
	Calls                  upstream.RootStats
}

// roots returns the languages, in order.
func (a *Admin) roots(stats []upstream.RootStats) (list []root) {
	for _, l := range a.Site {
		r := root{Code: l.Code, Name: i18n.Catalog(l.Code).Text("page.language", nil), Path: cmp.Or(l.Root, "/"), Zone: "unknown"}
		zone := a.Zone(l.Code)
		if zone != nil {
			r.Zone = zone.String()
		}
		// A root has the code of the first language on the root.
		shared := slices.IndexFunc(a.Site, func(o i18n.Language) bool { return o.Upstream == l.Upstream })
		for _, u := range stats {
			if u.Root == a.Site[shared].Code {
				r.Calls = u
			}
		}
		r.State = rootHealth(r.Calls)
		list = append(list, r)
	}
	return list
}

func rootHealth(u upstream.RootStats) Health {
	switch {
	case u.NamespaceMissing:
		return Health{
			Class:  bad,
			Word:   "without its calendar plugin",
			Detail: "the last calls found no route",
		}
	case u.State == upstream.Open, u.State == upstream.HalfOpen, u.Outage.Calls >= downAfter:
		return Health{Class: bad, Word: "down", Detail: cmp.Or(u.Outage.Cause, "too many calls fail")}
	case u.Outage.Calls > 0:
		return Health{Class: Warn, Word: "failed its last call", Detail: u.Outage.Cause}
	case u.Calls == 0:
		return Health{Class: idle, Word: "not called yet"}
	case u.Stored != "":
		return Health{
			Class:  Warn,
			Word:   "answers REST reads from a cache",
			Detail: "exclude /wp-json/ from it (" + u.Stored + ")",
		}
	}
	return Health{Class: good, Word: "up"}
}

// siteHealth returns each problem of the site once, for all roots together.
func siteHealth(roots []root, refusedWrites uint64, now time.Time) (lines []Health) {
	for i, r := range roots {
		var codes []string
		since := r.Calls.Outage.Since
		for _, o := range roots {
			if o.State == r.State {
				codes = append(codes, o.Code)
				if o.Calls.Outage.Since.Before(since) {
					since = o.Calls.Outage.Since
				}
			}
		}
		if codes[0] != roots[i].Code {
			continue // the line of an earlier root has the problem
		}
		line := Health{Class: r.State.Class, Word: "Site "}
		if len(codes) < len(roots) {
			line.Word += "in " + strings.Join(codes, ", ") + " "
		}
		line.Word += r.State.Word
		if r.State.Word == "down" && !since.IsZero() {
			line.Word += " since " + clock(since, now)
			line.Detail = outageText(refusedWrites)
		}
		line.Word += ": " + r.State.Detail
		lines = append(lines, line)
	}
	return lines
}

// outageText describes the responses to clients while the site is down and n writes were refused.
func outageText(n uint64) string {
	text := "Readers get stored answers"
	if n > 0 {
		text += ", " + count(n) + english.PluralWord(int(n), " write was", " writes were") + " refused" // #nosec G115 -- a count
	}
	return text + "."
}

// errorHealth judges the responses between two samples.
func errorHealth(begin, end sample) Health {
	failed := end.failed - begin.failed
	total := end.requests - begin.requests
	if failed == 0 {
		return Health{}
	}
	class := Warn
	if 100*failed >= failedShare*total {
		class = bad
	}
	return Health{
		Class:  class,
		Word:   "Server errors",
		Detail: fmt.Sprintf("%s of %s responses of the last minute", count(failed), count(total)),
	}
}

// certificateHealth reports that the program's own certificate should have been renewed.
func certificateHealth(end, now time.Time) Health {
	if end.IsZero() || end.Sub(now) >= telemetry.CertificateRenewal {
		return Health{}
	}
	return Health{
		Class:  Warn,
		Word:   "The certificate ends soon",
		Detail: "on " + end.UTC().Format(time.DateTime) + " UTC: renew it",
	}
}

// writesHealth reports that this instance refuses writes.
func (a *Admin) writesHealth() Health {
	switch {
	case !a.decisions.Known():
		return Health{
			Class:  bad,
			Word:   "Writes are refused",
			Detail: "Redis does not answer: this instance does not know what all have decided",
		}
	case a.Switch.ReadOnly():
		return Health{Class: Warn, Word: "Writes are refused"}
	}
	return Health{}
}

func redisHealth(up bool, pending int) Health {
	switch {
	case !up:
		return Health{
			Class:  bad,
			Word:   "Redis down",
			Detail: "This instance serves alone. Purges that the others do not know: " + count(pending) + "." + lostByRestart(pending),
		}
	case pending > 0:
		return Health{
			Class:  Warn,
			Word:   "Redis: purges are pending",
			Detail: "The other instances do not know " + count(pending) + " yet." + lostByRestart(pending),
		}
	}
	return Health{Class: good, Word: "Up"}
}

// lostByRestart warns of purges that a restart of this instance would lose.
func lostByRestart(pending int) string {
	if pending == 0 {
		return ""
	}
	return " A restart before Redis takes them loses them."
}

// targetHealth returns the state of a target of purges.
func targetHealth(s onward.Status) Health {
	switch {
	case s.Refused > 0:
		return Health{
			Class: bad,
			Word:  "has refused purges",
			Detail: "send them again with calfacade purge --replay; the last failure here: " +
				cmp.Or(s.Fault, "none"),
		}
	case s.Fault != "" && s.Waiting > 0:
		return Health{Class: Warn, Word: "does not accept purges", Detail: s.Fault}
	case s.Lag > lateAfter:
		return Health{Class: Warn, Word: "gets purges late"}
	}
	return Health{Class: good, Word: "up to date"}
}

func targetsHealth(targets []onward.Status) (lines []Health) {
	for _, t := range targets {
		h := targetHealth(t)
		lines = append(lines, Health{
			Class:  h.Class,
			Word:   "Purges to " + t.Name + ": " + h.Word,
			Detail: h.Detail,
		})
	}
	return lines
}
