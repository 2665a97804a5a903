package main

import (
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/secure"
)

// openCertificate opens the certificate of a configuration; nil if there is none.
func openCertificate(c config.TLS, log *zap.Logger) (*secure.Certificate, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	return secure.Open(c.CertFile, c.KeyFile, log)
}

// secureListener makes the connections of l TLS connections if there is a certificate.
func secureListener(l net.Listener, c *secure.Certificate, s *http.Server) net.Listener {
	if c == nil {
		return l
	}
	return secure.Listen(l, c, s)
}

// checkCertificate returns why clients cannot accept the certificate at a time.
func checkCertificate(t config.TLS, now time.Time) error {
	c, err := openCertificate(t, zap.NewNop())
	if c == nil || err != nil {
		return err
	}
	return c.Check(now)
}
