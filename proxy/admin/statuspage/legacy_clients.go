package statuspage

import (
	"fmt"
	"time"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// shownLegacyClients limits the clients of the legacy's names on the page.
const shownLegacyClients = 50

// legacyClients are those that still speak the legacy's names.
type legacyClients struct {
	Clients []legacyClient
	More    string // how many are not shown; "" for none
}

type legacyClient struct {
	Last                                                 moment
	Family, Network, Resource, Method, Requests, Refused string
}

// legacyClientsOf returns nil if there are none.
func legacyClientsOf(m *telemetry.Metrics, now time.Time) *legacyClients {
	recent, more := m.LegacyUses(shownLegacyClients)
	if len(recent) == 0 {
		return nil
	}
	all := &legacyClients{}
	for _, use := range recent {
		all.Clients = append(all.Clients, legacyClient{
			Last: momentOf(use.Last, now), Family: use.Family, Network: use.Prefix, Resource: use.Resource, Method: use.Method,
			Requests: count64(float64(use.Requests)), Refused: count64(float64(use.Refused)),
		})
	}
	if more > 0 {
		all.More = fmt.Sprintf("%s more were seen earlier.", count64(float64(more)))
	}
	return all
}
