package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/hangup"
)

// Reload replaces the current generation by one of the present configuration. An error changes nothing;
// metrics and status page show the refusal.
func (s *Service) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosing
	}
	s.hosts.Renew() // the site may have moved, or another peer
	s.onward.Configure(s.now.Load().onwardPlan())
	if s.collector != nil {
		s.collector.CloseIdleConnections()
	}
	if s.certificate != nil {
		s.certificate.Renew()
		warnOfCertificate(s.log, s.certificate)
	}
	err := s.replace()
	s.metrics.Reloaded.Store(err == nil)
	s.status.Reloaded(err)
	return err
}

// replace is reload without the effects on metrics and status page. The caller holds s.mu.
func (s *Service) replace() error {
	cfg, err := s.options.Load()
	if err != nil {
		return err
	}
	previous := s.now.Load()
	changed, restart := config.Changed(previous.config, cfg)
	if len(restart) > 0 {
		return fmt.Errorf("changed keys that require a restart: %s", strings.Join(restart, ", "))
	}
	if len(changed) == 0 {
		s.log.Info("configuration unchanged")
		return nil
	}
	next, err := newGeneration(cfg, s.lasting, previous)
	if err != nil {
		return err
	}
	s.begin(next)
	s.log.Info("configuration reloaded", zap.Strings("changed", changed))
	s.retiring.Go(func() {
		if err := previous.retire(s.ending); err != nil {
			s.log.Warn("closing the resources of an earlier configuration", zap.Error(err))
		}
	})
	return nil
}

// errClosing is the error of a reload after the shutdown began.
var errClosing = errors.New("the process is shutting down")

// Content is a hash of the configuration and of the files that the keys name. Modification times are not
// enough: they stay the same if a symbolic link was replaced, which Kubernetes does.
type Content [sha256.Size]byte

// ReloadOn reloads on each SIGHUP, and if interval is not 0 whenever the content differs from current, until ctx
// ends. On an error it logs, and keeps the configuration. A SIGHUP after the end of ctx has no effect.
func (s *Service) ReloadOn(ctx context.Context, contentNow func() Content, current Content, interval time.Duration) {
	var check <-chan time.Time
	if interval > 0 {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		check = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup.Signals():
			current = contentNow()
		case <-check:
			now := contentNow()
			if now == current {
				continue
			}
			current = now
		}
		notify(s.log, daemon.SdNotifyReloading+"\n"+daemon.SdNotifyMonotonicUsec())
		if err := s.Reload(); err != nil {
			s.log.Error("configuration rejected, the previous one stays in use", zap.Error(err))
		}
		notify(s.log, daemon.SdNotifyReady)
	}
}
