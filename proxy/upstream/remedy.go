package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// handshakeError is a failure of TLS: its cause, and what helps. Neither quotes what was received.
type handshakeError struct{ cause, remedy string }

func (e *handshakeError) Error() string { return e.cause }

var errNoTLS = &handshakeError{
	cause:  "it does not speak TLS at this port",
	remedy: "write http in the URL, or the port that has TLS",
}

// handshakes are the failures of TLS that have a text alone, in the order in which they are looked for: crypto/tls
// has no types for them. The settings of GODEBUG are of Go 1.26.
var handshakes = []struct {
	text string
	handshakeError
}{
	{text: "x509: negative serial number", handshakeError: handshakeError{
		cause:  "its certificate has a negative serial number, which is not valid (RFC 5280, 4.1.2.2)",
		remedy: "replace the certificate; until then the environment variable GODEBUG=x509negativeserial=1 accepts it",
	}},
	{text: "tls: failed to parse certificate", handshakeError: handshakeError{
		cause: "its certificate cannot be parsed", remedy: "replace the certificate, which openssl x509 -text shows",
	}},
	{text: "-bit keys are insecure", handshakeError: handshakeError{
		cause:  "the RSA key of its certificate is too short",
		remedy: "replace the certificate; until then the environment variable GODEBUG=rsa1024min=0 accepts short keys",
	}},
	{text: "protocol version", handshakeError: handshakeError{
		cause: "it has no TLS 1.2 or 1.3", remedy: "enable TLS 1.2 or 1.3 at the site: no setting accepts older versions",
	}},
	{text: "remote error: tls: handshake failure", handshakeError: handshakeError{
		cause: "it refused the TLS handshake: it has no key exchange or cipher in common with calfacade, or no certificate for the name",
		remedy: "let it offer ECDHE with AES-GCM; until then the environment variable GODEBUG=tlsrsakex=1,tls3des=1 offers RSA key " +
			"exchange and 3DES too; if it has no certificate for the name, see upstream.host",
	}},
	{text: "remote error: tls: unrecognized name", handshakeError: handshakeError{
		cause: "it has no certificate for the name", remedy: "correct the host of the URL, or see upstream.host",
	}},
	{text: "remote error: tls: certificate required", handshakeError: handshakeError{
		cause: "it requires a certificate of its clients", remedy: "let the address of this machine in without",
	}},
	{
		text:           "remote error: tls: ",
		handshakeError: handshakeError{cause: "it refused the TLS handshake", remedy: "the log of its web server has the reason"},
	},
	{text: `malformed HTTP response "\x15\x03`, handshakeError: handshakeError{ // an alert of TLS
		cause: "it speaks TLS at this port", remedy: "write https in the URL",
	}},
}

// handshakeCause returns the failure of TLS that an error is; nil for another error.
func handshakeCause(err error) error {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return errNoTLS
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return nil // it has a type, and quotes other failures
	}
	text := err.Error()
	for i := range handshakes {
		if strings.Contains(text, handshakes[i].text) {
			return &handshakes[i].handshakeError
		}
	}
	return nil
}

// Remedy returns what may help when a call fails, after ": "; "" if that is unknown.
func Remedy(err error) string {
	text := remedy(err)
	if text != "" {
		return ": " + text
	}
	return ""
}

func remedy(err error) string {
	if handshake, ok := errors.AsType[*handshakeError](err); ok {
		return handshake.remedy
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "see upstream.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "see upstream.host"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "renew the certificate of the site, or set the clock of this machine"
	}
	if failure, ok := errors.AsType[*net.DNSError](err); ok {
		if failure.IsNotFound {
			return "no such host name is known: correct the host of the URL"
		}
		return "the DNS server of this machine does not answer"
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: start the site, or correct host and port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "this machine has no route to the site: look at its network and its firewall"
	case errors.Is(err, http.ErrSchemeMismatch):
		return errNoTLS.remedy
	case (timedOut(err) || errors.Is(err, context.DeadlineExceeded)) && errors.Is(err, ErrNotSent):
		return "the site does not accept the connection: a firewall may drop it, or the address is wrong"
	case timedOut(err), errors.Is(err, context.DeadlineExceeded):
		return "the site has the request and sends nothing in time: it is overloaded, or waits for something"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the site closed the connection: the log of its web server has the reason"
	}
	return ""
}
