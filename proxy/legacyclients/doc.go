// Package legacyclients is what serving clients of the legacy's own namespace needs beside
// the neutral one: which requests it refuses, and what its responses and reports have.
//
// Start with [Clients] in clients.go. off.go switches resources off, for good or by a
// schedule; arguments.go refuses what cannot be passed, and fields.go selects the fields of a
// response as WordPress does; header.go makes the header fields, describe.go the requests for
// what the legacy says of its own interface. families.go tells clients apart for reports.
//
// The names themselves are those of the table: package mapping reads them, and package
// rewrite makes responses of them.
package legacyclients
