package lane

import "crypto/tls"

// secured is a TLS connection. What it reads and writes is decrypted.
type secured interface {
	ConnectionState() tls.ConnectionState
}

// bothWriter is a connection that writes two pieces as cheaply as one.
type bothWriter interface {
	WriteBoth(first, second []byte) (n int, err error)
}
