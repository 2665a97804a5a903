// Package upstream calls the REST roots of a backend. It is the only package that knows the
// HTTP client.
//
// A call enters at the top of this list of files, each of which uses those below it:
//
//	retry.go        [Caller.Do] repeats it if that is safe, may help and is in the retry budget
//	attempt.go      one attempt: the breaker, a slot, the request, and what its outcome says
//	                about the root
//	recovery.go     a root that paused by a 503 is asked whether it is back
//	stats.go        counts attempts, and reports the state of the roots
//	send.go         the HTTP request and its response
//	namespace.go    a root without the routes of its plugin is noticed
//	padding.go      removes text around the JSON
//	service.go      [Service]: calls of what is no backend
//	caller.go       makes a [Caller], whose methods are all above
//	hosts.go        what the roots on one host share
//	http_client.go  the HTTP client of a host; access.go adds what the operator adds to all calls
//	codings.go      removes the content codings of responses
//	transport.go    its connections: their age, and pings that find dead ones
//	call_options.go the [Options] of a Caller
//	root.go         the state of one root
//	breaker.go      the circuit breaker of the root; circuit.go: when it opens, and for whom
//	bulkhead.go     a slot of the host, or a position in its queue, shared fairly among clients
//	budget.go       the retries of a host
//	request.go      what is sent; response.go: what is received; call_errors.go: why nothing is
//
// The clients of hosts, with their limits and the state of their roots, live in [Hosts] and
// outlive a reload of the configuration while their options are the same.
//
// The caller sets the header fields of a request; this package knows neither the requests of
// clients nor the contract. client.go says on whose behalf a call is made.
package upstream
