// Package proxy is the HTTP side of the facade.
//
// The life of a request, and the files that it passes:
//
//  1. server.go    [Facade.ServeHTTP] assigns an id; package edge admits the request, and sets the
//     header fields of its client and connection. An exchange, exchange.go, is one request on this
//     way: the client, the target, the site that serves the request, and the report
//  2. resolve.go   a request target that is known, target.go, is not parsed again; any other is:
//     router.go finds the language root and the row of the table, body.go reads the body of a write
//     within limits, and package mapping parses
//  3. own_responses.go  index, documentation, OPTIONS and the start page are served from the table
//  4. route.go    package edge refuses a client whose credentials failed too often, and this process
//     reads the purges of all instances; idempotency.go sends a create with an Idempotency-Key once, with
//     package idempotency
//  5. serve.go    a site, site.go, serves the request: it knows one backend;
//     views.go     a read whose response may be shared is served from the entry of its view, or of its
//     whole response;
//     cached.go    the whole response goes through the cache, with package freshness;
//     write.go     a write is prepared by the necessary reads, checked against conditions.go, announced,
//     announced.go, and sent; then it purges the changed entries, and is verified
//  6. answer.go    both call a backend and send its response: in backend.go the client of the dialect makes
//     the call, its requests are sent with package upstream, and the response is rewritten;
//     failures.go maps failed calls to errors (502, 503, 504). Package recording may record the
//     calls or replay recorded ones
//  7. respond.go   writes the response, also from an entry, in one system call with package lane;
//     variant.go selects and compares its representations; errors come from package problem
//  8. report.go    writes one record, counts, and ends the trace
//
// A plain hit may take a shorter way, package lane: it never becomes an [http.Request].
// lane_answers.go serves it, with head templates.
//
// Whatever requests can make grow is bounded by cache.memory: entries with their head
// templates, and known targets.
//
// Clients of the legacy's own names take the same way, and have entries of their own:
// resolve.go turns their requests into calls of the table, with package legacyclients, and
// package rewrite writes the legacy's names into their responses.
//
// During a migration a switch stands before step 5: migration.go selects one of two sites, with package
// staging, and samples.go compares their responses in the background. Nothing else knows that there are two.
//
// Beside that way: commands.go serves the commands that explain a request and check the site, reader.go the
// commands that read a backend. new.go makes a facade, facade.go holds its parts, options.go its configuration.
// A file uses only files further down in this order: new and server, the handlers of a request, facade and exchange,
// site, backend, options.
package proxy
