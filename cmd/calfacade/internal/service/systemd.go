package service

import (
	"context"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

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
