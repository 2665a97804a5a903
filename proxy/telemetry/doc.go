// Package telemetry has the metrics of the program, for Prometheus.
//
// [Metrics] belong to the process: they continue when a reload replaces the facade. Parts
// that count themselves, such as the cache, are [Sources], which each scrape reads. Labels
// have values from closed sets alone, so that no client can create series.
//
// metrics.go has the metrics, requests.go counts; sources.go reads the sources.
package telemetry
