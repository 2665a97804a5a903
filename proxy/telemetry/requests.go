package telemetry

import (
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Request is a request whose response was sent.
type Request struct {
	Endpoint *mapping.Endpoint // nil: of no row of the table
	Language int               // see [LanguageNumber]
	Method   string
	Status   int // 0: no response
	Outcome  Outcome
	Took     time.Duration
}

// Begin counts a request in progress.
func (m *Metrics) Begin() {
	if m != nil {
		m.inFlight.Add(1)
	}
}

// End counts a request after its response.
func (m *Metrics) End(r Request) {
	if m == nil {
		return
	}
	m.inFlight.Add(-1)
	s := m.series(endpointNumbers[r.Endpoint], r.Language, methodNumber(r.Method), statusNumber(r.Status), r.Outcome)
	s.requests.Inc()
	s.duration.Observe(r.Took.Seconds())
}

// WatchLane sets the function that returns how many requests the lane has served.
func (m *Metrics) WatchLane(served func() uint64) { m.lane.Store(&served) }

func (m *Metrics) servedByLane() float64 {
	if served := m.lane.Load(); served != nil {
		return float64((*served)())
	}
	return 0
}

func (m *Metrics) series(endpoint, language, method, status int, from Outcome) *series {
	n := endpoint
	n = n*len(i18n.Codes) + language
	n = n*len(methodNames) + method
	n = n*len(statusNames) + status
	n = n*len(outcomeNames) + int(from)
	if s := m.known[n].Load(); s != nil {
		return s
	}
	// Concurrent requests make the same series.
	name, origin := endpointNames[endpoint], from.String()
	s := &series{
		requests: m.requests.WithLabelValues(name, i18n.Codes[language], methodNames[method], statusNames[status], origin),
		duration: m.duration.WithLabelValues(name, origin),
	}
	m.known[n].Store(s)
	return s
}
