// Package proxy is the HTTP side of the facade.
//
// The life of a request, and the files that it passes:
//
//  1. server.go     [Facade.ServeHTTP] gives it an id and a log record
//     edge.go       it passes the limits at the edge (ratelimit.go, cors.go,
//     readonly.go, overload.go), by who sent it (forwarded.go)
//  2. targets.go    a target that was seen before goes on with what it means;
//     router.go     language root and path give an endpoint of the table
//  3. request.go    query and body are read within limits, and parsed by the table
//  4. local.go      index, documentation and OPTIONS are answered from the table
//  5. signins.go    credentials that were refused too often are not tried again;
//     answer.go     who may share the answer gets it from the cache (cached.go,
//     freshness.go), a write goes past it: it is prepared by the reads that it needs, carried
//     out, purges what it changed (write.go), and is verified (drift.go)
//     stage.go      which backend answers is decided, by package staging
//  6. backend.go    a backend is asked in its own terms, by package upstream; failures.go
//     says what no answer means to the client
//  7. recording*.go  may keep what it answers, replay.go answer in its place
//  8. answer.go     its answer is checked and rewritten
//  9. respond.go    the answer is written, in one piece by package lane; errors.go does
//     so for errors
//  10. shadow.go     it may be compared with what another backend says
//
// A plain hit may take another way, package lane: it never becomes an [http.Request].
// lane_answerer.go answers it.
// What of all this reads can make grow is bounded by cache.memory: entries, with what
// lane_templates.go prepares of them, and targets.go; cmd/internal/memory holds the process to it.
//
// identity.go says who asks, accesslog.go what is logged, metrics*.go what is
// counted, under the labels of labels.go, trace.go what is traced, observer.go both
// for the cache, timing.go what clients are told of it, secrets.go
// who is an operator (what he reaches is in package admin), connections.go how many clients may
// connect, zone.go where the site's day ends, explain.go and probe.go what the commands
// explain and check show.
package proxy
