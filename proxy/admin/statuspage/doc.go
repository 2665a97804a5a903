// Package statuspage is the status page of the admin listener: what the facade does now,
// the last ten minutes as charts, and forms to purge, to refuse writes and to change
// staging. It works without Prometheus and without JavaScript. Start reading at [Mount].
//
// [State] holds what outlives a configuration: samples of the metrics, and sessions. The
// page is drawn from the samples and from one scrape (sample.go); page.go, parts.go and
// staging.go turn them into what the templates in files show; act.go and staging_act.go
// carry out what was confirmed, through [admin.Admin].
package statuspage
