package service

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// openCertificate opens the certificate of a configuration; nil without TLS.
func openCertificate(c config.TLS, log *zap.Logger) (*secure.Certificate, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	return secure.Open(c.CertFile, c.KeyFile, log)
}

// secureListener makes the connections of l TLS connections if there is a certificate. closed counts those
// that clients close within the handshake.
func secureListener(l net.Listener, c *secure.Certificate, s *http.Server, closed *atomic.Uint64) net.Listener {
	if c == nil {
		return l
	}
	return secure.Listen(l, c, s.ReadHeaderTimeout, closed)
}

// CheckCertificate returns why clients cannot accept the certificate at a time, or a warning that they
// soon cannot.
func CheckCertificate(t config.TLS, now time.Time) (warning string, err error) {
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

// warnOfCertificate logs a near expiry.
func warnOfCertificate(log *zap.Logger, c *secure.Certificate) {
	warning := certificateWarning(c.NotAfter(), time.Now())
	if warning != "" {
		log.Warn("certificate", zap.String("problem", warning))
	}
}
