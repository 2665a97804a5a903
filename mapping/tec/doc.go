// Package tec is the dialect of tec/v1, the REST API that The Events Calendar has beside the
// legacy one since its version 6.15. Its paths, parameters, fields and items are unlike those
// of the table, so that it translates both ways; package mapping knows nothing of it.
//
// Start with [Dialect] in tec.go, whose client makes a call, then in the order of a call: requests.go and updates.go
// translate the call, with terms.go and links.go for the terms and items that the call names; responses.go converts
// responses, items.go their items and values.go the values in these, and failures.go errors. Below all are reads.go,
// for the reads beside a call, and names.go. differences.go lists what remains unlike the legacy.
//
// It reads no clock and does no I/O, except that [time.LoadLocation] may read the time zone
// database: values.go needs the abbreviations of zones.
package tec
