// Package report holds the outcome of a comparison of two backends, and writes
// it as tables for a terminal, as JSON, and as an HTML page that needs no
// network. Start reading at [Report].
package report
