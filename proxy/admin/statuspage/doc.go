// Package statuspage is the status page of the admin listener: the health of the facade in
// words, what it did in the last hour, and forms to purge, to refuse writes and to change
// staging. It works without Prometheus and without JavaScript. Start reading at [Mount].
//
// [State] holds what outlives a configuration: samples of the metrics, errors of the log and
// the key of sessions. Everything else is read for each request: view.go fills one struct, with the words of
// health.go and the parts of staging.go, and the templates show it. session.go admits viewers;
// act.go carries out confirmed actions through [admin.Admin].
package statuspage
