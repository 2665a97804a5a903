// Package edge admits requests and refuses them, before anything else is done for them.
//
// Start reading with [Edge.Admit]. Each layer is a file. In the order of a request:
//
//   - connections.go: [LimitConnections] bounds the open connections of a listener
//   - forwarded.go: [Trust] finds the client behind proxies, and whether it uses TLS
//   - edge.go: [Edge] passes a request through the layers below; [Edge.Admit] is the first step
//   - cors.go, cors_origin.go: preflights, and the header fields of CORS
//   - ratelimit.go: the quotas of each client
//   - readonly.go: which writes may be sent, once the row of the table is known
//   - overload.go: the memory of bodies, and the requests that the cache does not answer
//   - signins.go: failed sign-ins of each client
//   - failures.go: how often each client may fail, for signins.go and secrets.go
//   - secrets.go: [Secrets] bounds the attempts to guess secrets of operators
//   - prepared.go: what the header fields that the lane prepares in advance depend on
//
// A refusal is a *problem.Error. Package proxy writes it, in the language of the client.
package edge
