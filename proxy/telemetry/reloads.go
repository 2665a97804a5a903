package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// reloads are the metrics of the configuration. Their names are those of Prometheus's own.
type reloads struct {
	successful prometheus.Gauge
	succeeded  prometheus.Gauge
}

func newReloads() reloads {
	return reloads{
		successful: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "calfacade_config_last_reload_successful",
			Help: "1 if the last load of the configuration succeeded, 0 if it was rejected and the previous configuration is in use.",
		}),
		succeeded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "calfacade_config_last_reload_success_timestamp_seconds",
			Help: "Time of the last successful load of the configuration, in seconds since 1970.",
		}),
	}
}

func (r reloads) record(at time.Time, ok bool) {
	r.successful.Set(number(ok))
	if ok {
		r.succeeded.Set(float64(at.UnixMilli()) / 1000)
	}
}
