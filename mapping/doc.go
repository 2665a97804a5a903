// Package mapping is the contract of the facade as data, and the pure functions that follow
// from it.
//
// Read table.go first: [Table] is the only place that names an endpoint, a parameter or a
// field. Everything else in the package derives from it, in the order of a request:
//
//	input.go, query.go, form.go,
//	json.go                      what a client sent, as one kind of tree
//	parse.go, kinds.go           [Parse]: validate and normalize it, or report every fault;
//	                             scalars.go, lists.go, links.go by kind
//	call.go, canonical.go        [Call]: the canonical request, its key and its links
//	ids.go, ids_in_calls.go      items that have another id on a backend
//	update.go, preserve.go,
//	terms.go                     what a write must read first, and is completed with
//	localtime.go                 instants as local times of the site
//	dialect.go, translate.go     kinds of backends, and the request to one
//	union.go                     a list that the legacy has only in parts
//	outcomes.go                  what status and code of a response mean
//	drift.go                     what an update did differently
//	legacy_names.go              requests and errors in the names of the legacy
//	tags.go                      what a response shows, and a write purges
//
// The rows of the table consist of an [Endpoint] (endpoint.go) and its parameters (param.go).
//
// The packages below it read JSON (jsonscan), dates (dates) and URLs (siteurl) for it and
// import nothing of it. Others derive from the table: rewrite the responses, openapi and
// contract describe it to readers, tec a dialect unlike the table, crawl the calls that read a
// whole site, compare the differences of two responses.
//
// Nothing here does I/O or reads a clock: values go in, values come out. The one exception is
// the time zone database, which [time.LoadLocation] may read from files in dates and tec.
package mapping
