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

// secure gives a server TLS, if there is a certificate.
func secure(s *http.Server, c config.TLS, log *zap.Logger) error {
	if c.CertFile == "" {
		return nil
	}
	kept, err := openCertificate(c.CertFile, c.KeyFile, log)
	if err != nil {
		return err
	}
	s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: kept.get}
	return nil
}

// accept serves l, under TLS if secured: net/http gives the server a TLSConfig in any case.
// Under TLS answers are not corked, nor in the lane: net/http speaks HTTP/2 only
// where it sees the connection's own type.
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

// certificate is a certificate whose files may be replaced. They are looked at in
// each handshake, which costs a hundred times as much, so that nothing has to run
// in the background and nobody has to send a signal.
type certificate struct {
	certFile, keyFile string
	log               *zap.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   stamp // of the files when they were last read, well or not
}

// stamp tells versions of the two files apart.
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

// get is for [tls.Config]. What cannot be read, as in the moment between the
// replacing of the two files, leaves the certificate before in use.
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
		c.log.Error("the certificate was changed and cannot be read; the one before stays in use", zap.Error(err))
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
		return fmt.Errorf("tls: cert_file ended at %s", leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return errors.New("tls: cert_file begins only at " + leaf.NotBefore.Format(time.RFC3339))
	}
	return nil
}
