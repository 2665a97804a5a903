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
//	ids.go           items that have another id on a backend
//	update.go        what a write must read first, and is completed with, so that it preserves
//	                 the rest (preserve.go); terms.go for its terms
//	price.go         the prices of an event
//	localtime.go     instants as local times of the site
//	dialect.go       kinds of backends, and what status and code of a response mean;
//	translate.go     the request to one
//	union.go         a list that the legacy has only in parts
//	drift.go         what an update did differently
//	legacy_names.go  requests and errors in the names of the legacy
//	tags.go          what a response shows, and a write purges
//	crawl.go         the calls that read a whole site, and what their responses show
//
// The rows of the table consist of an [Endpoint] and its parameters (endpoint.go). What
// responses consist of is in shapes.go.
//
// The packages below it read JSON (jsonscan), dates (dates) and URLs (siteurl) for it and
// import nothing of it. Others derive from the table: rewrite the responses, openapi and
// contract describe it to readers, tec a dialect unlike the table, compare the differences of two
// responses.
//
// Nothing here does I/O or reads a clock: values go in, values come out. The one exception is
// the time zone database, which [time.LoadLocation] may read from files in dates and tec.
package mapping
