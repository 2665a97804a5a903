package lane

import "net"

// Answerer looks up the responses to the requests of one connection. It is called by
// one goroutine at a time. A connection has one from its first request in the lane until
// it is handed over to net/http.
type Answerer interface {
	// Lookup returns the response to a request, which must be byte for byte what the
	// server's handler would send, and never one that takes time to make. Without one
	// it returns false, and has no effect: net/http serves the request. The request and
	// its byte slices are the connection's, and valid until Lookup returns.
	Lookup(*Request) (Response, bool)

	// Done reports the outcome of sending the response that Lookup returned last: the
	// bytes of its body that were sent, and an error if the client is gone.
	Done(body int, err error)
}

// NewAnswerer returns the Answerer of a connection from client, by TLS if secure.
type NewAnswerer func(client net.Addr, secure bool) Answerer
