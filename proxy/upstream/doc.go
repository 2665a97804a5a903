// Package upstream calls the REST roots of a backend. It is the only package that knows the
// HTTP client.
//
// A call enters at the top of this list of files. Each uses the files below it:
//
//	retry.go      [Caller.Do] repeats it if that is safe, may help and is in the retry budget; why
//	              there is no response
//	send.go       the HTTP request and its response, without content codings and text around the
//	              JSON; a root without the routes of its plugin is noticed
//	breaker.go    the circuit breaker of a root: when it opens and closes, and how a root that
//	              paused is asked whether it is back
//	queue.go      a slot of the host, or a position in its queue, shared fairly among clients
//	caller.go     makes a [Caller] from [Options], and requests
//	transport.go  the HTTP client of a host, and what the roots on one host share
//	access.go     what the operator adds to all calls
//	service.go    [Service]: calls of other services; counters, and the state of the roots
//
// The clients of hosts, with their limits and the state of their roots, live in [Hosts] and
// outlive a reload of the configuration while their options are the same.
//
// The caller sets the header fields of a request; this package knows neither the requests of
// clients nor the contract.
package upstream
