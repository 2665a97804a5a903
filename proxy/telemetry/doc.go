// Package telemetry counts what the program does, for Prometheus.
//
// [Metrics] belong to the process: a facade that takes the place of another one after a
// reload counts in the same. What counts by itself, such as the cache, is a source that each
// scrape reads ([Sources]). Labels have values from closed sets alone (labels.go), so that
// no client can make series.
package telemetry
