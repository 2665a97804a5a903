package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/lane"
)

// secure enables TLS on a server if a certificate is configured.
func secure(s *http.Server, c config.TLS, log *zap.Logger) error {
	if c.CertFile == "" {
		return nil
	}
	current, err := openCertificate(c.CertFile, c.KeyFile, log)
	if err != nil {
		return err
	}
	s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: current.get}
	return nil
}

// accept serves l, with TLS if secured: the TLSConfig of the server does not tell, since
// net/http always sets it. TLS connections are neither corked nor served by the lane:
// net/http enables HTTP/2 only if it finds the connection's own type.
func accept(s *http.Server, secured bool, fast *lane.Lane, l net.Listener) error {
	if secured {
		return s.ServeTLS(l, "", "")
	}
	l = lane.Cork(l)
	if fast != nil {
		l = fast.Listen(l)
	}
	return s.Serve(l)
}

// certificate is a certificate whose files may be replaced. It checks them in each
// handshake, which costs a hundred times as much as the check. So it needs no
// background work and no signal.
type certificate struct {
	certFile, keyFile string
	log               *zap.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   stamp // of the files when they were last read, successfully or not
}

// stamp identifies a version of the two files.
type stamp [2]struct {
	modified time.Time
	size     int64
}

func openCertificate(certFile, keyFile string, log *zap.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, seen: stampOf(certFile, keyFile)}
	loaded, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	c.loaded = &loaded
	return c, nil
}

func stampOf(files ...string) (s stamp) {
	for i, file := range files {
		if info, err := os.Stat(file); err == nil {
			s[i].modified, s[i].size = info.ModTime(), info.Size()
		}
	}
	return s
}

// get implements GetCertificate of [tls.Config]. While the files cannot be read, such
// as between the replacement of one and the other, the previous certificate stays in
// use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := stampOf(c.certFile, c.keyFile)
	if now == c.seen {
		return c.loaded, nil
	}
	c.seen = now
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Error("the certificate has changed and cannot be read; the previous one stays in use", zap.Error(err))
		return c.loaded, nil
	}
	c.loaded = &loaded
	c.log.Info("certificate replaced", zap.Time("valid_until", loaded.Leaf.NotAfter))
	return c.loaded, nil
}

// checkCertificate returns why clients cannot accept the certificate at a time.
func checkCertificate(t config.TLS, now time.Time) error {
	if t.CertFile == "" {
		return nil
	}
	c, err := openCertificate(t.CertFile, t.KeyFile, zap.NewNop())
	if err != nil {
		return err
	}
	switch leaf := c.loaded.Leaf; {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("tls: cert_file expired at %s", leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return errors.New("tls: cert_file is not valid before " + leaf.NotBefore.Format(time.RFC3339))
	}
	return nil
}
