// Package tec is the dialect of tec/v1, the REST API that The Events Calendar has beside the legacy one since
// its version 6.15. The paths, parameters, fields and items of tec/v1 differ from the table, so that package
// tec translates both ways; package mapping knows nothing of tec/v1.
//
// Start with [Dialect] in tec.go and Do, which makes a call, then in the order of a call: requests.go and
// updates.go translate the call, with terms.go and links.go for the terms and items that the call names;
// responses.go converts responses, items.go the items and values.go the values, and failures.go errors. Below
// all are reads.go, for the reads beside a call, and names.go. differences.go lists the remaining differences
// to the legacy.
//
// The package reads no clock and does no I/O, except that [time.LoadLocation] may read the time zone
// database: values.go needs the abbreviations of zones.
package tec
