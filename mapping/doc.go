// Package mapping is the contract of the facade as data, and the pure functions
// that follow from it.
//
// Read table.go first: [Table] is the only place that names an endpoint, a
// parameter or a field. Everything else in the package derives from it, in the
// order in which a request meets it:
//
//	input.go, json.go      what a client sent, as one kind of tree
//	parse.go, kinds.go     [Parse]: check and normalize it, or tell every fault
//	dates*.go              the same for dates
//	call.go                [Call]: the canonical request, its key and its links
//	update.go, terms.go    what a write has to read first, and is completed with
//	wall.go                instants as the clocks of the backend show them
//	translate.go           the request to the backend that answers it
//	dialect*.go            how a kind of backend speaks: its names, the shape of
//	                       its answers
//	rewrite.go, links.go   the backend's answer in the neutral namespace, in one
//	                       pass over its bytes (scan.go)
//	homes.go, spellings.go where a site has its roots, and how its links spell them
//	pages.go               its pages and images, out and back; message.go, rename*.go: errors
//	headers.go             the same for its header fields
//	drift.go               what an update did otherwise than it said
//	survey.go              the calls that show all there is, for programs
//	describe.go, openapi.go, contract.go   the table told to clients and readers
//
// Nothing here does I/O or reads a clock: values go in, values come out. The one
// exception is the database of time zones, which [time.LoadLocation] may read from
// files: dialect_tec_values.go needs what the clocks of a zone call themselves.
package mapping
