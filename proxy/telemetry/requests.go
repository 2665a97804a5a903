package telemetry

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Request is a request after its response was sent.
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
	m.inFlight.Add(1)
}

// End counts a request after its response.
func (m *Metrics) End(r Request) {
	m.inFlight.Add(-1)
	s := m.series(endpointNumbers[r.Endpoint], r.Language, methodNumber(r.Method), statusNumber(r.Status), r.Outcome)
	s.requests.Inc()
	s.duration.Observe(r.Took.Seconds())
}

func (m *Metrics) series(endpoint, language, method, status int, outcome Outcome) *series {
	slot := &m.seriesByNumber[endpoint*len(i18n.Codes)+language][method][status][outcome]
	s := slot.Load()
	if s != nil {
		return s
	}
	// Concurrent requests make the same series.
	name := endpointNames[endpoint]
	origin := outcome.String()
	s = &series{
		requests: m.requests.WithLabelValues(name, i18n.Codes[language], methodNames[method], statusNames[status], origin),
		duration: m.duration.WithLabelValues(name, origin),
	}
	slot.Store(s)
	return s
}

// Observe returns a function that counts an attempt of a call, and calls next, which may be nil.
func (m *Metrics) Observe(next func(upstream.Attempt)) func(upstream.Attempt) {
	return func(c upstream.Attempt) {
		m.calls.WithLabelValues(c.Root, statusNames[statusNumber(c.Status)], cmp.Or(string(c.Failure), "none")).Inc()
		if c.Failure != upstream.NotOpened && c.Failure != upstream.NotQueued {
			m.callTime.WithLabelValues(c.Root).Observe(c.Took.Seconds())
		}
		if next != nil {
			next(c)
		}
	}
}

// Drifted counts the fields of an update.
func (m *Metrics) Drifted(drifts []mapping.Drift) {
	for _, d := range drifts {
		m.drifts.WithLabelValues(d.Field, string(d.Kind)).Inc()
	}
}

// SignIn counts a request with wrong credentials, or one that is refused after too many of
// these.
func (m *Metrics) SignIn(result string) {
	m.signIns.WithLabelValues(result).Inc()
}

// DropRecords counts log records that were dropped.
func (m *Metrics) DropRecords(n int) {
	m.dropped.Add(uint64(n)) // #nosec G115 -- not negative
}

// LegacyRequest counts a request of a client of the legacy's own namespace. refused reports
// that the namespace is off for the request.
func (m *Metrics) LegacyRequest(c LegacyClient, refused bool, now time.Time) {
	c.Resource = cmp.Or(c.Resource, NoEndpoint)
	c.Method = MethodLabel(c.Method)
	m.usesMu.Lock()
	defer m.usesMu.Unlock()
	use := m.uses[c]
	if use == nil { // replaces the one that was seen the longest ago
		if len(m.uses) == maxLegacyUses {
			oldest := slices.MinFunc(slices.Collect(maps.Values(m.uses)), func(a, b *LegacyUse) int { return a.Last.Compare(b.Last) })
			delete(m.uses, oldest.LegacyClient)
			m.usesDropped++
		}
		use = &LegacyUse{LegacyClient: c, First: now}
		m.uses[c] = use
	}
	use.Requests = use.Requests + 1
	use.Last = now
	result := "served"
	if refused {
		result = "refused"
		use.Refused++
	}
	m.legacy.WithLabelValues(c.Family, c.Resource, c.Method, result).Inc()
}

// LegacyClient is a client of the legacy's own namespace, with a resource and a method that the client requests.
type LegacyClient struct {
	Family   string // one of a fixed list
	Prefix   string // the network of the address; see [Prefix]
	Resource string // of the table; NoEndpoint without a resource
	Method   string
}

// LegacyUse is a client with its requests.
type LegacyUse struct {
	LegacyClient

	Requests uint64
	Refused  uint64 // of these, since the namespace is off
	First    time.Time
	Last     time.Time
}

// maxLegacyUses is the maximum of clients that are remembered.
const maxLegacyUses = 500

// LegacyUses returns the clients of the legacy's own namespace that were seen last, at most n
// of them, and how many more there were.
func (m *Metrics) LegacyUses(n int) (recent []LegacyUse, omitted uint64) {
	m.usesMu.Lock()
	defer m.usesMu.Unlock()
	for _, use := range m.uses {
		recent = append(recent, *use)
	}
	slices.SortFunc(recent, func(a, b LegacyUse) int {
		byLast := b.Last.Compare(a.Last)
		byRequests := cmp.Compare(b.Requests, a.Requests)
		byPrefix := cmp.Compare(a.Prefix, b.Prefix)
		return cmp.Or(byLast, byRequests, byPrefix)
	})
	n = min(n, len(recent))
	return recent[:n], m.usesDropped + uint64(len(recent)-n)
}
