package main

import (
	"context"
	"crypto/sha256"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/hangup"
)

// reloadOn reloads on each SIGHUP, and if interval is not 0 whenever the content differs from current, until ctx
// ends. On an error it logs, and keeps the configuration. A SIGHUP after the end of ctx has no effect.
func (s *service) reloadOn(ctx context.Context, contentNow func() content, current content, interval time.Duration) {
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
		if err := s.reload(); err != nil {
			s.log.Error("configuration rejected, the previous one stays in use", zap.Error(err))
		}
		notify(s.log, daemon.SdNotifyReady)
	}
}

// content is a hash of the configuration and of the files that the keys name. Modification times are not
// enough: they stay the same if a symbolic link was replaced, which Kubernetes does.
type content [sha256.Size]byte

// content reads the file of a configuration and the files that the keys name. The call must precede the
// loading of the configuration, so that a change in between is noticed. A file that cannot be read has the
// content of an empty one: the reload reports the error.
func (p process) content(file string) (hash content) {
	if file == standardInput {
		return hash // never changes
	}
	sum := sha256.New()
	add := func(name string) []byte {
		data, _ := os.ReadFile(name)
		fileHash := sha256.Sum256(data)
		_, _ = sum.Write(fileHash[:]) // never fails
		return data
	}
	for _, name := range config.Files(add(file), p.env) {
		add(name)
	}
	return content(sum.Sum(nil))
}
