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

// hangUps returns a channel of SIGHUP signals. It must be called before the process
// reports that it serves: an earlier SIGHUP would end it.
func hangUps() chan os.Signal {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	return hup
}

// reloadOn reloads on each hup, and if interval is not 0 whenever the content of the
// file differs from seen, until ctx ends. It logs errors, and keeps the configuration.
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
			s.log.Error("configuration rejected, the previous one stays in use", zap.Error(err))
		}
		notifyReady(s.log)
	}
}

// content is a hash of a file. Its modification time is not enough: it stays the same
// if a symbolic link was replaced, which Kubernetes does.
type content [sha256.Size]byte

// contentOf must be called before the file is loaded, so that a change in between is
// noticed.
func contentOf(file string) content {
	if file == standardInput {
		return content{} // never changes
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return content{} // the reload reports the error
	}
	return sha256.Sum256(data)
}
