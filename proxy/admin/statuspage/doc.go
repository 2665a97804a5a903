// Package statuspage is the status page of the admin listener: what the facade does now,
// the last ten minutes as charts, and forms to purge, to refuse writes and to change
// staging. It works without Prometheus and without JavaScript. Start reading at [Mount].
//
// [State] holds what outlives a configuration: samples of the metrics, and sessions. The
// files, from the top:
//
//   - mount.go lists the paths; access.go admits viewers and signs them in.
//   - act.go and staging_act.go carry out the actions of action.go that were confirmed,
//     through [admin.Admin].
//   - page.go collects what the templates in files show, from parts.go, purges.go,
//     endpoints.go, staging.go (with staging_cells.go and staging_changes.go), health.go
//     and chart.go; respond.go sends it.
//   - state.go holds history.go, records.go and session.go.
//   - sample.go counts in one scrape (readings.go), with the histograms of latency.go.
package statuspage
