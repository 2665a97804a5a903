package statuspage

import (
	"fmt"
	"slices"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// rootStatus is a language, and the REST root of the legacy that answers it.
type rootStatus struct {
	Code, Name, Path string
	Shared           string // the code of the language whose root it shares; "" for none
	Breaker          string
	Health           health
	Figures          []figure
	Facts            []fact
}

// rootStatuses returns the status of each language, in order.
func rootStatuses(site i18n.Site, watched *telemetry.Sources, h history, zone func(string) *time.Location) []rootStatus {
	byRoot := map[string]upstream.RootStats{}
	if watched.Upstreams != nil {
		for _, u := range watched.Upstreams() {
			byRoot[u.Root] = u
		}
	}
	var list []rootStatus
	for i, root := range codesOf(site) {
		l := site[i]
		s := rootStatus{Code: l.Code, Name: i18n.Catalog(l.Code).Text("page.language", nil), Path: l.Root}
		if root != l.Code {
			s.Shared = root
		}
		u := byRoot[root]
		calls := func(s sample) tally { return s.roots[root] }
		s.Breaker, s.Health = string(u.State), rootHealth(u, h.lately(time.Minute, calls))
		requests := h.rate(func(s sample) float64 { return s.languages[l.Code].total })
		s.Figures = []figure{
			{"Requests", perSecond(latest(requests)), "", h.chart("Requests in "+l.Code+" per second", requests, 1, perSecond)},
			h.latencyFigure("Site", "95th percentile of calls to the site in "+l.Code, func(s sample) latency { return s.rootTook[root] }),
		}
		s.Facts = []fact{
			{"Calls", count64(float64(u.Calls))},
			{"Failed", count64(float64(u.Failures))},
			{"Retries", count64(float64(u.Retries))},
			{"Rejected", count64(float64(u.Refused + u.Shed))},
			{"In flight", count64(float64(u.InFlight))},
			{"Queued", count64(float64(u.Queued))},
		}
		if zone != nil {
			if known := zone(l.Code); known != nil {
				s.Facts = append(s.Facts, fact{"Time zone", known.String()})
			}
		}
		list = append(list, s)
	}
	return list
}

// rootHealth derives health from the breaker and the calls of the last minute.
func rootHealth(u upstream.RootStats, lately tally) health {
	switch {
	case u.State == upstream.Open:
		return health{"bad", "breaker open", "for at least " + u.OpenFor.Round(time.Second).String()}
	case u.NamespaceMissing:
		return health{"bad", "plugin missing", "the last calls found no route: is the calendar plugin of the site active?"}
	case u.State == upstream.HalfOpen:
		return health{"warn", "probing", "the breaker lets a few calls through"}
	case lately.failed > 0 && lately.failed >= lately.total:
		return health{"bad", "failing", "every call of the last minute"}
	case lately.failed > 0:
		return health{"warn", "failing intermittently", fmt.Sprintf("%.0f of %.0f calls of the last minute", lately.failed, lately.total)}
	case lately.total == 0:
		return health{"idle", "idle", "no calls in the last minute"}
	}
	return health{"good", "up", "calls in the last minute: " + count64(lately.total)}
}

// codesOf returns for each language the code of the first language with the same REST root,
// which is the name of the root.
func codesOf(site i18n.Site) []string {
	var codes []string
	for _, l := range site {
		first := slices.IndexFunc(site, func(o i18n.Language) bool { return o.Upstream == l.Upstream })
		codes = append(codes, site[first].Code)
	}
	return codes
}
