// Package control has what operators see of a migration.
//
// metrics.go has the metrics.
package control
