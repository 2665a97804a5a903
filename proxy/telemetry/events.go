package telemetry

import (
	"cmp"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// called counts an attempt of a call on the legacy.
func (m *Metrics) called(c upstream.Attempt) {
	failure := cmp.Or(string(c.Failure), "none")
	m.calls.WithLabelValues(c.Root, statusNames[statusNumber(c.Status)], failure).Inc()
	if c.Failure != upstream.NotOpened && c.Failure != upstream.NotQueued {
		m.callTime.WithLabelValues(c.Root).Observe(c.Took.Seconds())
	}
}

// Observe adds the metrics of calls to an observer.
func (m *Metrics) Observe(o *upstream.Observer) {
	called := o.Called
	o.Called = func(c upstream.Attempt) {
		m.called(c)
		if called != nil {
			called(c)
		}
	}
}

// Drifted counts the fields of an update.
func (m *Metrics) Drifted(drifts []mapping.Drift) {
	if m == nil {
		return
	}
	for _, d := range drifts {
		m.drifts.WithLabelValues(d.Field, string(d.Kind)).Inc()
	}
}

// SignIn counts a request with wrong credentials, or one that is refused after too many of
// these.
func (m *Metrics) SignIn(result string) {
	if m != nil {
		m.signIns.WithLabelValues(result).Inc()
	}
}

// RefuseConnection counts a connection that was closed because its client has too many.
func (m *Metrics) RefuseConnection() {
	if m != nil {
		m.cut.Inc()
	}
}

// DropRecords counts log records that were dropped.
func (m *Metrics) DropRecords(n int) {
	if m != nil {
		m.dropped.Add(float64(n))
	}
}

// WrongSecret counts a wrong secret, or an attempt that is refused after too many of these.
func (m *Metrics) WrongSecret(place, result string) {
	if m != nil {
		m.secrets.WithLabelValues(place, result).Inc()
	}
}

// Reloaded records that the configuration was loaded or rejected.
func (m *Metrics) Reloaded(ok bool) { m.reloaded.Set(number(ok)) }

// LegacyRequest counts a request of a client of the legacy's own namespace. refused reports
// that the namespace is off for it.
func (m *Metrics) LegacyRequest(c LegacyClient, refused bool, at time.Time) {
	if m == nil {
		return
	}
	c.Resource = cmp.Or(c.Resource, NoEndpoint)
	c.Method = MethodLabel(c.Method)
	result := "served"
	if refused {
		result = "refused"
	}
	m.legacy.WithLabelValues(c.Family, c.Resource, c.Method, result).Inc()
	m.legacyUses.add(c, refused, at)
}

// LegacyUses returns the clients of the legacy's own namespace that were seen last, at most n
// of them, and how many more there were.
func (m *Metrics) LegacyUses(n int) (recent []LegacyUse, more uint64) { return m.legacyUses.recent(n) }
