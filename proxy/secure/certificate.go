package secure

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Certificate is a certificate with replaceable files. The files are checked before each handshake, which costs a
// hundred times as much as the check. So no background work and no signal are necessary.
type Certificate struct {
	certFile, keyFile string
	log               *zap.Logger

	mu        sync.Mutex
	config    *tls.Config // of handshakes
	lastStamp string      // stamp of the files when they were last read, successfully or not
}

// Open loads the certificate of two PEM files.
func Open(certFile, keyFile string, log *zap.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return c, nil
}

// stamp identifies the version of the two files.
func (c *Certificate) stamp() (s string) {
	for _, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			s += fmt.Sprintln(info.ModTime(), info.Size())
		}
	}
	return s
}

// load reads the files for further handshakes. The configuration has keys of its own for session
// tickets, which crypto/tls rotates daily: a client that has a ticket from the certificate before
// gets the new certificate in a full handshake.
func (c *Certificate) load() error {
	c.lastStamp = c.stamp()
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.config = &tls.Config{
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
		Certificates: []tls.Certificate{loaded},
	}
	return nil
}

// current returns the configuration for a handshake. While the files cannot be read, such
// as between the replacement of one and the other, the previous certificate stays in use.
func (c *Certificate) current() *tls.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp() == c.lastStamp {
		return c.config
	}
	if err := c.load(); err != nil {
		c.log.Error("the certificate has changed and cannot be read; the previous one stays in use", zap.Error(err))
		return c.config
	}
	c.log.Info("certificate replaced", zap.Time("valid_until", c.config.Certificates[0].Leaf.NotAfter))
	return c.config
}

// NotAfter returns the end of the validity of the certificate in use.
func (c *Certificate) NotAfter() time.Time { return c.current().Certificates[0].Leaf.NotAfter }

// Renew reads the files again, also if their times and sizes are the same.
func (c *Certificate) Renew() {
	c.mu.Lock()
	c.lastStamp = ""
	c.mu.Unlock()
	c.current()
}

// Check returns why clients cannot accept the certificate at a time.
func (c *Certificate) Check(now time.Time) error {
	leaf := c.current().Certificates[0].Leaf
	switch {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("tls: cert_file expired at %s", leaf.NotAfter.Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return errors.New("tls: cert_file is not valid before " + leaf.NotBefore.Format(time.RFC3339))
	}
	return nil
}
