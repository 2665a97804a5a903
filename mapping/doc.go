// Package mapping is the contract of the facade as data, and the pure functions that follow
// from it.
//
// Read table.go first: [Table] is the only place that names an endpoint, a parameter or a
// field. Everything else in the package derives from it, in the order of a request:
//
//	form.go          what a client sent, as one kind of tree
//	parse.go         [Parse]: validate and normalize it, or report every fault (fault.go);
//	                 kinds.go, numbers.go, slug.go and lists.go have the kinds of values
//	call.go          [Call]: the canonical request, its key and its links
//	dialect.go       kinds of backends: a [Client] makes the requests of a call on one;
//	translate.go     the request to a backend that has the table's names,
//	ids.go           whose items may have other ids
//	subject.go       the item that a write is about
//	outcomes.go      the meaning of status and code of a response
//	legacy_names.go  requests and errors in the names of the legacy
//	tags.go          what a response shows, and a write purges
//	crawl.go         the calls that read a whole site, and what their responses show
//
// The rows of the table consist of an [Endpoint] and its parameters (endpoint.go). What
// responses consist of is in shapes.go.
//
// The packages below it read JSON (jsonscan), dates (dates) and URLs (siteurl) for it and
// import nothing of it. Others derive from the table: rewrite the responses, openapi and
// contract describe it to readers, tribe and tec are the dialects of the legacy and of a backend unlike the table,
// compare finds the differences of two responses.
//
// Nothing here does I/O or reads a clock: values go in, values come out. The one exception is
// the time zone database, which [time.LoadLocation] may read from files in dates and tec.
package mapping
