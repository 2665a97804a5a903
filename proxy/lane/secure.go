package lane

import "crypto/tls"

// secured is a TLS connection. What it reads and writes is decrypted.
type secured interface {
	ConnectionState() tls.ConnectionState
}
