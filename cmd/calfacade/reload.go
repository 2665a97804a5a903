package main

import (
	"context"
	"crypto/sha256"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// hangUps gives each SIGHUP from now on. It must be called before the process is seen to
// serve: one that comes earlier ends it.
func hangUps() chan os.Signal {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	return hup
}

// reloadOn reloads on hup, and if interval is not 0 when the file is no longer
// what it was when seen was taken of it, until ctx ends. What cannot be used is
// logged, and changes nothing.
func (s *service) reloadOn(ctx context.Context, hup chan os.Signal, file string, seen content, interval time.Duration) {
	defer signal.Stop(hup)
	var look <-chan time.Time
	if interval > 0 {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
			seen = contentOf(file)
		case <-look:
			now := contentOf(file)
			if now == seen {
				continue
			}
			seen = now
		}
		notifyReloading(s.log)
		if err := s.reload(); err != nil {
			s.log.Error("configuration refused, the last good one stays", zap.Error(err))
		}
		notifyReady(s.log)
	}
}

// content stands for what a file has in it. Its time of change says less: it
// stays as it is where a symbolic link has moved, as Kubernetes does it.
type content [sha256.Size]byte

// contentOf must be called before the file is loaded: what changes in between is
// seen then.
func contentOf(file string) content {
	data, err := os.ReadFile(file)
	if err != nil {
		return content{} // the reload will say so
	}
	return sha256.Sum256(data)
}
