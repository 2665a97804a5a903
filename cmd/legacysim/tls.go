package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// validity is how long the certificates hold: longer than anybody leaves this running.
const validity = 30 * 24 * time.Hour

// privateTLS makes a CA, writes its certificate to file, and returns TLS with one that it
// has signed, for this machine and for host, which may be "".
func privateTLS(file, host string) (*tls.Config, error) {
	ca := template("legacysim CA")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	root, err := issue(ca, nil)
	if err != nil {
		return nil, err
	}
	root.Leaf = ca
	site := template("legacysim")
	site.DNSNames = []string{"localhost"}
	if host != "" {
		site.DNSNames = append(site.DNSNames, host)
	}
	site.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	leaf, err := issue(site, root)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate[0]})
	if err := os.WriteFile(file, text, 0o644); err != nil { // #nosec G306 -- it is for everybody
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*leaf}}, nil
}

// issue makes a certificate with a new key, signed by a CA; nil makes it self-signed.
func issue(c *x509.Certificate, by *tls.Certificate) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, signed := any(key), c
	if by != nil {
		signer, signed = by.PrivateKey, by.Leaf
	}
	bytes, err := x509.CreateCertificate(rand.Reader, c, signed, key.Public(), signer)
	return &tls.Certificate{Certificate: [][]byte{bytes}, PrivateKey: key}, err
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}
