// Package tec is the dialect of tec/v1, the REST API that The Events Calendar has beside the
// legacy one since its version 6.15. Its paths, parameters, fields and items are unlike those
// of the table, so that it has a translator; package mapping knows nothing of it.
//
// Start with [Dialect] in tec.go, then in the order of a call: params.go, bounds.go and
// fields.go translate requests; updates.go, slugs.go, terms.go and linked.go make the reads that a call
// needs first; responses.go converts responses: converter.go makes items by shapes.go, with
// values.go, links.go and embedded.go. failures.go converts errors. differences.go lists what remains unlike the
// legacy, and document.go compares a site's description of the API with that which the dialect was
// made from.
//
// It reads no clock and does no I/O, except that [time.LoadLocation] may read the time zone
// database: converter.go needs the abbreviations of zones.
package tec
