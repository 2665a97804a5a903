package main

import (
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/telemetry"
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

// checkCertificate returns why clients cannot accept the certificate at a time, or a warning that they
// soon cannot.
func checkCertificate(t config.TLS, now time.Time) (warning string, err error) {
	c, err := openCertificate(t, zap.NewNop())
	if c == nil || err != nil {
		return "", err
	}
	return certificateWarning(c.NotAfter(), now), c.Check(now)
}

// certificateWarning returns a warning about a certificate that should have been renewed; "" if there
// is time.
func certificateWarning(end, now time.Time) string {
	if end.Sub(now) >= telemetry.CertificateRenewal {
		return ""
	}
	return "tls.cert_file: the certificate ends on " + end.UTC().Format(time.DateTime) + " UTC: renew it"
}

// watchCertificate shows the end of the certificate in metrics and on the status page, logs once a day
// and on each reload that it is near, and reads the files again on each reload.
func (s *service) watchCertificate(c *secure.Certificate) {
	if c == nil {
		return
	}
	s.metrics.WatchCertificate(c.NotAfter)
	s.mu.Lock()
	s.certificate = c
	s.mu.Unlock()
	s.retiring.Go(func() {
		for {
			s.warnOfCertificate(c)
			select {
			case <-s.ending:
				return
			case <-time.After(24 * time.Hour):
			}
		}
	})
}

func (s *service) warnOfCertificate(c *secure.Certificate) {
	if warning := certificateWarning(c.NotAfter(), time.Now()); warning != "" {
		s.log.Warn("certificate", zap.String("problem", warning))
	}
}
