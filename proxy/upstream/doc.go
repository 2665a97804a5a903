// Package upstream calls the REST roots of a backend. It is the only package that knows the
// HTTP client.
//
// A call passes, in this order:
//
//	retry.go     [Caller.Do] repeats it if that is safe, may help and is in the retry budget
//	root.go      one attempt, and what its outcome says about the root
//	breaker.go   the circuit breaker of the root, weighed by client
//	bulkhead.go  a slot of the host, or a position in its queue, shared fairly among clients
//	caller.go    the HTTP request and its response; access.go adds what the operator
//	             adds to all calls, padding.go removes text around the JSON
//	namespace.go a root without the routes of its plugin is noticed
//	recovery.go  a root that paused by a 503 is asked whether it is back
//
// The clients of hosts, with their limits and the state of their roots, live in [Hosts] and
// outlive a reload of the configuration while their options are the same.
//
// The caller sets the header fields of a request; this package knows neither the requests of
// clients nor the contract. client.go says on whose behalf a call is made.
package upstream
