// Package legacyclients serves clients of the legacy's own namespace: it knows which of their
// requests are refused, selects the fields of their responses, and classifies them for reports.
//
// Start with [Clients] in clients.go, which switches resources off, for good or by a schedule.
// arguments.go refuses arguments that cannot be passed to the site, selects fields as WordPress does, and makes
// the requests for the legacy's description of its interface.
//
// The names themselves are in the table: package mapping reads them, and package rewrite writes
// them into responses.
package legacyclients
