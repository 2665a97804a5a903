package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/proxy/onward"
)

type onwardStatus = onward.Status

// One of each target of purges.
var onwardReadings = []reading[onwardStatus]{
	total("onward_purges_total", "Purges that a target has accepted from this instance.", func(s *onwardStatus) uint64 { return s.Delivered }, "target"),
	{onwardDeliveries, prometheus.CounterValue, func(s *onwardStatus) float64 { return float64(s.Done) }, []string{"ok"}},
	{onwardDeliveries, prometheus.CounterValue, func(s *onwardStatus) float64 { return float64(s.Failed) }, []string{"failed"}},
	{onwardDeliveries, prometheus.CounterValue, func(s *onwardStatus) float64 { return float64(s.Rejected) }, []string{"refused"}},
	level("onward_waiting", "Purges that this instance has made or read and a target may not have.", func(s *onwardStatus) float64 { return float64(s.Waiting) }, "target"),
	level("onward_lag_seconds", "Age of the oldest purge that this instance has made or read and a target may not have.", func(s *onwardStatus) float64 { return s.Lag }, "target"),
	level("onward_refused", "Deliveries that a target has refused for good and nobody has sent again.", func(s *onwardStatus) float64 { return float64(s.Refused) }, "target"),
}

var onwardDeliveries = describe("onward_deliveries_total", "Deliveries of one or more purges to a target, by result: ok, failed (tried again) or refused (not tried again).", "target", "result")

// collectOnward collects the values of the targets.
func collectOnward(out chan<- prometheus.Metric, d *onward.Deliverer) {
	for _, c := range d.Couriers() {
		s := c.Status()
		collect(out, onwardReadings, &s, s.Name)
	}
}
