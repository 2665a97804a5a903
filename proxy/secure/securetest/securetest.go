// Package securetest makes certificates for tests and benchmarks.
package securetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"time"
)

// Write writes a certificate for 127.0.0.1 that is valid until end, signed by itself, and
// its key. Its serial number distinguishes it from others.
func Write(certFile, keyFile string, serial int64, end time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		NotBefore:    end.Add(-30 * 24 * time.Hour), NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		replace(certFile, &pem.Block{Type: "CERTIFICATE", Bytes: cert}, serial),
		replace(keyFile, &pem.Block{Type: "PRIVATE KEY", Bytes: secret}, serial),
	)
}

// replace replaces a file as a whole. Its time depends on the serial number, so that it
// differs from that of the file before even within a tick of the clock.
func replace(file string, block *pem.Block, serial int64) error {
	if err := os.WriteFile(file+".new", pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	stamp := time.Unix(serial*1000, 0)
	return errors.Join(os.Chtimes(file+".new", stamp, stamp), os.Rename(file+".new", file))
}
