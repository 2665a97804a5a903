package upstream

import (
	"bufio"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
)

// TestHandshakes: each failure of TLS has its cause in words, and a remedy, and quotes no received byte.
func TestHandshakes(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	valid := certificate(t, key, "127.0.0.1", time.Now().Add(time.Hour))
	negative := tls.Certificate{PrivateKey: key, Certificate: [][]byte{withNegativeSerial(t, valid.Certificate[0])}}
	expired := certificate(t, key, "127.0.0.1", time.Now().Add(-time.Hour))
	otherKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	foreign := certificate(t, otherKey, "192.0.2.1", time.Now().Add(time.Hour))
	broken := tls.Certificate{PrivateKey: key, Certificate: [][]byte{[]byte("secret")}}
	for _, test := range []struct {
		name          string
		server        *tls.Config
		trusted       tls.Certificate
		cause, remedy string
	}{
		{
			name:    "a negative serial number",
			server:  &tls.Config{Certificates: []tls.Certificate{negative}},
			trusted: valid,
			cause:   "negative serial number",
			remedy:  "GODEBUG=x509negativeserial=1",
		},
		{
			name:    "a certificate that is none",
			server:  &tls.Config{Certificates: []tls.Certificate{broken}},
			trusted: valid,
			cause:   "its certificate cannot be parsed",
			remedy:  "replace the certificate",
		},
		{
			name:    "TLS 1.1",
			server:  &tls.Config{Certificates: []tls.Certificate{valid}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
			trusted: valid,
			cause:   "it has no TLS 1.2 or 1.3",
			remedy:  "no setting accepts older versions",
		},
		{
			name: "RSA key exchange",
			server: &tls.Config{Certificates: []tls.Certificate{valid}, MaxVersion: tls.VersionTLS12,
				CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}},
			trusted: valid,
			cause:   "it has no key exchange or cipher in common",
			remedy:  "GODEBUG=tlsrsakex=1,tls3des=1",
		},
		{
			name:    "a certificate of the client",
			server:  &tls.Config{Certificates: []tls.Certificate{valid}, ClientAuth: tls.RequireAnyClientCert},
			trusted: valid,
			cause:   "it requires a certificate of its clients",
			remedy:  "let the address of this machine in",
		},
		{
			name:    "expired",
			server:  &tls.Config{Certificates: []tls.Certificate{expired}},
			trusted: expired,
			cause:   "certificate has expired",
			remedy:  "renew the certificate",
		},
		{
			name:    "another name",
			server:  &tls.Config{Certificates: []tls.Certificate{foreign}},
			trusted: foreign,
			cause:   "certificate is valid for 192.0.2.1",
			remedy:  "upstream.host",
		},
		{
			name:    "an unknown CA",
			server:  &tls.Config{Certificates: []tls.Certificate{valid}},
			trusted: foreign,
			cause:   "unknown authority",
			remedy:  "upstream.ca_file",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, err := tls.Listen("tcp", "127.0.0.1:0", test.server)
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			go answer(server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			pool := x509.NewCertPool()
			leaf, err := x509.ParseCertificate(test.trusted.Certificate[0])
			if err != nil {
				t.Fatal(err)
			}
			pool.AddCert(leaf)
			checkFailure(t, "https://"+server.Addr().String(), pool, test.cause, test.remedy)
		})
	}
	for _, test := range []struct{ name, response, cause, remedy string }{
		{
			name:     "HTTP where TLS is expected",
			response: "HTTP/1.1 400 secret\r\n\r\n",
			cause:    "gave HTTP response to HTTPS client",
			remedy:   "write http",
		},
		{
			name:     "a page where TLS is expected",
			response: "<html>secret",
			cause:    "it does not speak TLS at this port",
			remedy:   "write http",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := listenPlain(t)
			go answer(server, test.response)
			checkFailure(t, "https://"+server.Addr().String(), nil, test.cause, test.remedy)
		})
	}
	t.Run("TLS where HTTP is expected", func(t *testing.T) {
		server := listenPlain(t)
		go answer(server, "\x15\x03\x01\x00\x02\x02\x16secret")
		checkFailure(t, "http://"+server.Addr().String(), nil, "it speaks TLS at this port", "write https")
	})
}

// checkFailure checks the failure of a call.
func checkFailure(t *testing.T, url string, pool *x509.CertPool, cause, remedy string) {
	t.Helper()
	service := NewSiteService(testwait.Limit, 100, AccessOptions{CAs: pool})
	defer service.Close()
	_, err := service.Send(t.Context(), http.MethodGet, url, nil, nil)
	if err == nil {
		t.Fatal("the call succeeded")
	}
	if text := err.Error(); !strings.Contains(text, cause) || strings.Contains(text, "secret") {
		t.Errorf("cause %q, want %q", text, cause)
	}
	if text := Remedy(err); !strings.Contains(text, remedy) {
		t.Errorf("remedy %q, want %q", text, remedy)
	}
}

func listenPlain(t *testing.T) net.Listener {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// answer reads the first bytes of each connection, and sends a response.
func answer(server net.Listener, response string) {
	for {
		c, err := server.Accept()
		if err != nil {
			return
		}
		if _, err := bufio.NewReader(c).Peek(1); err == nil {
			_, _ = io.WriteString(c, response)
		}
		_ = c.Close()
	}
}

// certificate returns a certificate that signs itself.
func certificate(t *testing.T, key *rsa.PrivateKey, address string, end time.Time) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(5), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: end, IPAddresses: []net.IP{net.ParseIP(address)},
		BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{PrivateKey: key, Certificate: [][]byte{der}}
}

// withNegativeSerial returns a certificate with the serial number -5. Its signature is wrong, which nobody comes to check.
func withNegativeSerial(t *testing.T, der []byte) []byte {
	t.Helper()
	serial := []byte{0x02, 0x01, 0x05} // the first INTEGER after the version
	text := string(der)
	if !strings.Contains(text, string(serial)) {
		t.Fatal("no serial number")
	}
	return []byte(strings.Replace(text, string(serial), "\x02\x01\xfb", 1))
}
