// Package admin serves the admin listener: probes (/livez, /readyz), metrics, purges,
// staging and profiles. Start reading at [New], which lists the paths. The status page,
// package statuspage, is added with statuspage.Mount.
//
// The package knows no facade. It reads and changes a [cache.Cache], a [staging.Matrix]
// and the metrics.
package admin
