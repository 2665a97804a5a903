// Package upstream calls the REST roots of a backend. It is the only package that knows the
// HTTP client.
//
// A call enters at the top of this list of files. Each uses the files below it:
//
//	caller.go     makes a [Caller] from [Options], requests, and a [Service] that is no backend
//	call.go       [Caller.Do] makes attempts: breaker, slot, request, response, retry
//	failure.go    why there is no response, and what follows from that
//	breaker.go    the circuit breaker of a root: its outage, when it opens and closes
//	queue.go      a slot of the host, or a position in its queue, shared fairly among clients
//	hosts.go      the state of a root (its calls, its plugin, text around its JSON), and of the host that roots
//	              share, also after a reload, with the budget of retries
//	transport.go  the HTTP client of a host, what the operator adds to its calls, content codings
//
// The caller sets the header fields of a request; this package knows neither the requests of
// clients nor the contract.
package upstream
