package main

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
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
// that a restart loses no connection, or else opens those of the configuration.
func openSockets(ctx context.Context, c config.Start) (sockets, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return sockets{}, err
	}
	var s sockets
	for name, list := range named {
		if name == adminSocket {
			s.admin = append(s.admin, list...)
		} else {
			s.public = append(s.public, list...)
		}
	}
	if len(s.public) == 0 {
		l, err := listen(ctx, c.Listen)
		if err != nil {
			return s, errors.Join(err, s.close())
		}
		s.public = []net.Listener{l}
	}
	if len(s.admin) == 0 && c.AdminListen != "" {
		l, err := listen(ctx, c.AdminListen)
		if err != nil {
			return s, errors.Join(err, s.close())
		}
		s.admin = []net.Listener{l}
	}
	return s, nil
}

func (s sockets) close() error {
	var problems []error
	for _, l := range slices.Concat(s.public, s.admin) {
		problems = append(problems, l.Close())
	}
	return errors.Join(problems...)
}

// listen opens a listener; port 0 selects a free port.
func listen(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// notifyReady, notifyReloading and notifyStopping notify systemd, if the unit has
// Type=notify or notify-reload.
func notifyReady(log *zap.Logger)    { notify(log, daemon.SdNotifyReady) }
func notifyStopping(log *zap.Logger) { notify(log, daemon.SdNotifyStopping) }

func notifyReloading(log *zap.Logger) {
	notify(log, daemon.SdNotifyReloading+"\n"+daemon.SdNotifyMonotonicUsec())
}

// watchdog notifies systemd until ctx ends, twice in each WatchdogSec of the unit. Without
// WatchdogSec it returns at once.
func watchdog(ctx context.Context, log *zap.Logger) {
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd", zap.Error(err))
	}
	if limit < 2 {
		return
	}
	tick := time.NewTicker(limit / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			notify(log, daemon.SdNotifyWatchdog)
		}
	}
}

func notify(log *zap.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd", zap.Error(err))
	}
}
