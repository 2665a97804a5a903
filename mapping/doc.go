// Package mapping is the contract of the facade as data, and the pure functions that follow
// from it.
//
// Read table.go first: [Table] is the only place that names an endpoint, a parameter or a
// field. Everything else in the package derives from the table, in the order of a request:
//
//	node.go          the values that a client sent, as one kind of tree, of a form (form.go) or of JSON (json.go)
//	parse.go         [Parse]: validate and normalize a request, or report every fault (fault.go)
//	normalize.go     the canonical form of one value; kinds.go, lists.go and fields.go have the kinds of values
//	call.go          [Call]: the canonical request with its [View], the cache key and the links
//	dialect.go       kinds of backends: a [Client] makes the requests of a call; the client of backends with
//	                 the table's names
//	ids.go           ids that differ from the legacy's
//	subject.go       the item that a write changes
//	outcomes.go      the meaning of status and code of a response
//	legacy_names.go  requests and errors in the names of the legacy
//	tags.go          the items that a response shows, and that a write purges
//	crawl.go         the calls that read a whole site, and the items in the responses
//
// A row of the table is an [Endpoint] with parameters (endpoint.go); rows.go finds rows and derives their methods,
// and the rows for clients that speak the legacy's names. shapes.go has the parts of responses, of the types in
// attribute.go. The files use each other in one direction: the lowest are attribute.go, endpoint.go and node.go.
//
// The packages jsonscan (JSON), dates and siteurl (URLs) serve this package, and do not import it. Others
// derive from the table: rewrite the responses, openapi and contract describe the table to readers, tribe and tec are
// the dialects of the legacy and of a backend unlike the table, compare finds the differences of two responses.
//
// Nothing here does I/O or reads a clock: values go in, values come out. The one exception is
// the time zone database, which [time.LoadLocation] may read from files in dates and tec.
package mapping
