// Command conformance runs the public test suite for HTTP caches, http-tests/cache-tests,
// against calfacade, and writes docs/conformance.md.
//
// The suite requests URLs of its own server through a cache. calfacade serves one contract and
// speaks to one kind of site. So two shims translate: front.go turns each URL of a test into an
// item of the neutral namespace, and origin.go is a site that gets status, header fields and
// body of each response from the suite's server, and sends them in the form of the legacy.
// What the facade does not forward travels inside the item (envelope.go). Start reading at
// main.go; deviations.go lists every test that calfacade does not pass, with its reason.
package main
