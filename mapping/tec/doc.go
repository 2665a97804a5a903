// Package tec is the dialect of tec/v1, the REST API that The Events Calendar has beside the
// legacy one since its version 6.15. Its paths, parameters, fields and items are unlike those
// of the table, so that it translates both ways; package mapping knows nothing of it.
//
// Start with [Dialect] in tec.go and Do in client.go, then in the order of a call: requests.go and updates.go
// translate it, terms.go and links.go find the items that it names; responses.go converts responses, values.go values in them, and failures.go errors. differences.go lists what remains unlike the legacy, and
// document.go finds what a site's description of the API lacks.
//
// It reads no clock and does no I/O, except that [time.LoadLocation] may read the time zone
// database: tec.go needs the abbreviations of zones.
package tec
