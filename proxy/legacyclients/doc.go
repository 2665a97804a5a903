// Package legacyclients has what it takes to serve clients of the legacy's own namespace: which
// of their requests are refused, what their responses look like, and how reports classify them.
//
// Start with [Clients] in clients.go, which switches resources off, for good or by the schedule
// of brownout.go. arguments.go refuses what cannot be passed to the site; fields.go selects the
// fields of a response as WordPress does; header.go makes the header fields; describe.go makes
// the requests for the legacy's description of itself. families.go classifies clients.
//
// The names themselves are in the table: package mapping reads them, and package rewrite writes
// them into responses.
package legacyclients
