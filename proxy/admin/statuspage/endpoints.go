package statuspage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

type endpointStatus struct {
	Name, Lately, All, Failed string
	P50, P95, P99             string // of the last minutes
	Share                     int    // percent of the busiest endpoint
}

// endpointStatuses returns the busiest endpoints of the last minutes, then of all time.
func endpointStatuses(h history, last sample) []endpointStatus {
	type row struct {
		name   string
		lately float64
		all    tally
	}
	var rows []row
	most := 1.0
	for name, all := range last.endpoints {
		lately := h.lately(time.Hour, func(s sample) tally { return s.endpoints[name] }).total
		if all.total > 0 {
			rows, most = append(rows, row{name, lately, all}), max(most, lately)
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.lately, a.lately), cmp.Compare(b.all.total, a.all.total), strings.Compare(a.name, b.name))
	})
	var list []endpointStatus
	for _, r := range rows[:min(len(rows), 10)] {
		name := r.name
		if name == telemetry.NoEndpoint {
			name = "none (documentation, OPTIONS, unknown paths)"
		}
		took := h.lastLatency(func(s sample) latency { return s.tookBy[r.name] })
		list = append(list, endpointStatus{
			Name: name, Lately: count64(r.lately), All: count64(r.all.total), Failed: count64(r.all.failed),
			P50: inMilliseconds(took.quantile(0.5)), P95: inMilliseconds(took.quantile(0.95)), P99: inMilliseconds(took.quantile(0.99)),
			Share: int(100 * r.lately / most),
		})
	}
	return list
}
