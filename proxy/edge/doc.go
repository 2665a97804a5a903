// Package edge limits and checks requests before anything else is done for them.
//
// Each layer is a file. In the order of a request:
//
//   - connections.go: [LimitConnections] bounds the open connections of a listener
//   - forwarded.go: [Trust] finds the client behind proxies, and whether it uses TLS
//   - secrets.go: [Secrets] checks the secrets of operators, and bounds the failed attempts
//
// Start reading with forwarded.go: limits count by the client that [Trust.Client] returns.
package edge
