// Package proxy is the HTTP side of the facade.
//
// The life of a request, and the files that it passes:
//
//  1. server.go     [Facade.ServeHTTP] assigns an id and writes one log record at the end.
//     Package edge admits it, and sets the header fields of its client and connection
//  2. targets.go    a request target that is known is not parsed again;
//     resolve.go    any other is resolved: package router finds the language root and the row of
//     the table, request.go reads the body of a write within limits, package mapping parses
//  3. local.go      index, documentation, OPTIONS and the start page are served from the table
//  4. forward.go    package edge refuses a client whose credentials failed too often; stage.go
//     selects the backend, with package staging, and testers.go that of a tester
//  5. cached.go     a read whose response may be shared goes through the cache, with package
//     freshness;
//     write.go      a write is prepared by the reads that it needs, checked against its
//     conditions (conditions.go), sent, purges what it changed, and is verified (drift.go)
//  6. answer.go     both call a backend and send its response: backend.go translates the call,
//     backend_call.go sends it with package upstream, and rewrites the response; failures.go
//     maps failed calls to errors (502, 503, 504). Package recording may record the calls or
//     replay recorded ones
//  7. respond.go    writes the response, in one system call with package lane, and
//     respond_entry.go that of the cache; errors are those of package problem
//  8. shadow.go     may compare the response with that of another backend
//
// An exchange (exchange.go) is one request on this way: who it responds to, what it asks for,
// which backend serves it, and what is reported of it. A file uses those below it: server.go is
// at the top, facade.go and options.go hold what a facade consists of.
//
// A plain hit may take a shorter way, package lane: it never becomes an [http.Request].
// lane_answerer.go serves it, with the head templates of lane_templates.go.
//
// Whatever requests can make grow is bounded by cache.memory: entries with their head
// templates, and known targets.
//
// Clients of the legacy's own names take the same way, and have entries of their own:
// legacy_clients.go and package legacyclients turn their requests into calls of the table, and
// package rewrite writes the legacy's names into their responses. legacy_description.go serves what the legacy says of its own interface.
//
// Beside that way: package identity reads the credentials of a client, accesslog.go and trace.go
// report a request (package telemetry counts it), commands.go serves the commands explain
// and check, and reader.go those that read a backend.
package proxy
