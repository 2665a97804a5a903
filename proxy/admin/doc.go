// Package admin serves the admin listener: probes (/livez, /readyz), metrics, purges, staging and profiles,
// and the status page. The page has the health of the facade in words, what it did in the last hour, and forms
// to purge, to refuse writes and to change staging; it works without Prometheus and without JavaScript. Start
// reading at [New], which lists the paths.
//
// The package knows no facade, but reads and changes a [cache.Cache], a [Migration] and the metrics.
// [PageState] has the state that outlives a configuration: samples of the metrics, errors of the log and the key of
// sessions. Everything else on the page is read for each request: view.go fills one struct, with the words of
// health.go, and the templates (page.go) show it. access.go admits clients and session.go viewers; act.go carries
// out confirmed actions. All use options.go, which has [Admin], and response.go, which has [Refusal].
package admin
