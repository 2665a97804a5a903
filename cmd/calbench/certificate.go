package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// files are those of a certificate. The zero value is none.
type files struct{ cert, key, bundle string }

// certificate writes a certificate for 127.0.0.1 with an ECDSA key (P-256, which most
// servers on the web have) to files: apart, and both in one, as HAProxy wants them.
func (m *machine) certificate() (c files, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return files{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return files{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return files{}, err
	}
	certText := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}))
	keyText := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	for _, file := range []struct {
		path       *string
		name, text string
	}{{&c.cert, "cert.pem", certText}, {&c.key, "key.pem", keyText}, {&c.bundle, "bundle.pem", certText + keyText}} {
		if *file.path, err = m.file(file.name, file.text); err != nil {
			return files{}, err
		}
	}
	return c, nil
}
