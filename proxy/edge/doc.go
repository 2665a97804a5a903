// Package edge admits requests and refuses them, before anything else is done for them.
//
// Start reading with [Edge.Admit]. Each layer is a file. In the order of a request:
//
//   - connections.go: [LimitConnections] bounds the open connections of a listener, and the streams
//     of each
//   - forwarded.go: [Trust] finds the client behind proxies
//   - edge.go: [Edge] passes a request through the layers below; [Edge.Admit] is the first step. Edge
//     knows which writes may be sent, how often each client may fail to sign in, and bounds the
//     memory of bodies and the requests that the cache does not answer
//   - share.go: the share of one client in these limits
//   - cors.go: preflights, and the header fields of CORS
//   - ratelimit.go: the quotas of each client
//   - identity.go: the credentials of clients
//   - secrets.go: how often each client may fail to guess a secret of operators
//
// A refusal is a *problem.Error. Package proxy writes the response, in the language of the client.
package edge
