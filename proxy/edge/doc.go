// Package edge admits requests and refuses them, before anything else is done for them.
//
// Start reading with [Edge.Admit]. Each layer is a file. In the order of a request:
//
//   - connections.go: [LimitConnections] bounds the open connections of a listener
//   - forwarded.go: [Trust] finds the client behind proxies, and whether it uses TLS
//   - edge.go: [Edge.Admit] is the first layer of every request; it passes the next three
//   - cors.go, cors_origin.go: preflights, and the header fields of CORS
//   - prepared.go: what header fields that the lane prepares in advance depend on
//   - ratelimit.go: the quotas of each client
//   - readonly.go: [Edge.AdmitWrite] admits a write once its row of the table is known
//   - overload.go: [Edge.Body] bounds the memory of bodies, [Edge.AdmitUncached] the requests
//     that the cache does not answer
//   - signins.go: [Edge.AdmitSignIn] bounds failed sign-ins
//   - secrets.go: [Secrets] bounds the attempts to guess secrets of operators
//
// A refusal is a *problem.Error. Package proxy writes it, in the language of the client.
package edge
