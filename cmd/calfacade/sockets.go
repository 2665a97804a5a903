package main

import (
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/secure"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// sockets are the listeners of a process.
type sockets struct {
	public []net.Listener
	admin  []net.Listener
}

// adminSocket is the FileDescriptorName of an admin listener in a systemd socket unit;
// any other name is a public listener.
const adminSocket = "admin"

// openSockets uses the listeners that systemd passed, which outlive this process so
// that a restart loses no connection, or else opens the configuration's.
func openSockets(ctx context.Context, c config.Config) (sockets, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return sockets{}, err
	}
	s := sockets{admin: named[adminSocket]}
	delete(named, adminSocket)
	s.public = slices.Concat(slices.Collect(maps.Values(named))...)
	if len(s.public) == 0 {
		l, err := listen(ctx, c.Listen)
		if err != nil {
			s.close()
			return s, err
		}
		s.public = []net.Listener{l}
	}
	if len(s.admin) == 0 && c.AdminListen != "" {
		l, err := listen(ctx, c.AdminListen)
		if err != nil {
			s.close()
			return s, err
		}
		s.admin = []net.Listener{l}
	}
	return s, nil
}

// close closes the listeners; closed listeners stay closed.
func (s sockets) close() {
	for _, l := range slices.Concat(s.public, s.admin) {
		_ = l.Close()
	}
}

// listen opens a listener; port 0 selects a free port.
func listen(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// watchdog notifies systemd until ctx ends, twice in each WatchdogSec of the unit. Without WatchdogSec the
// call returns at once.
func watchdog(ctx context.Context, log *zap.Logger) {
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd", zap.Error(err))
	}
	if limit < 2 {
		return
	}
	for ticks := time.Tick(limit / 2); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			notify(log, daemon.SdNotifyWatchdog)
		}
	}
}

// notify notifies systemd, if the unit has Type=notify or notify-reload.
func notify(log *zap.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd", zap.Error(err))
	}
}

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

// watchCertificate shows the expiry of the certificate in metrics and on the status page, logs a near expiry
// once a day and on each reload, and reads the files again on each reload.
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
