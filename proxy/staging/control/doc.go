// Package control shows operators a migration, and lets them change it: the metrics, /staging, and the tab of the
// status page.
//
// Start with [Control] in control.go, which package admin knows as its Migration. report.go and change.go have
// /staging, tab.go, form.go and health.go the page, whose templates are in package admin, and metrics.go the metrics.
package control
