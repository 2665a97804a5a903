// Package secure terminates TLS below net/http, so that package lane gets decrypted
// connections.
//
// Start reading at [Listen]. listener.go completes the handshakes before net/http sees a
// connection, conn.go sends all records of a write in one system call, and
// certificate.go replaces certificates, and with them the keys of session tickets, while
// connections are open.
//
// # Dependencies on net/http and crypto/tls
//
// net/http serves HTTP/2 only on a connection of type *tls.Conn, completed or not, and
// repeats the error of a handshake that failed: TestPlainHTTP, TestProtocols. For any other
// connection with a method ConnectionState, net/http copies the TLS state to the requests:
// TestProtocols. crypto/tls writes each record by a call of Write: TestOneWrite.
package secure
