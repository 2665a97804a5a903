package service

import (
	"context"
	"maps"
	"net"
	"slices"

	"github.com/coreos/go-systemd/v22/activation"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// Sockets are the listeners of a process.
type Sockets struct {
	Public []net.Listener
	Admin  []net.Listener
}

// adminSocket is the FileDescriptorName of an admin listener in a systemd socket unit;
// any other name is a public listener.
const adminSocket = "admin"

// OpenSockets uses the listeners that systemd passed, which outlive this process so
// that a restart loses no connection, or else opens the configuration's.
func OpenSockets(ctx context.Context, c config.Config) (Sockets, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return Sockets{}, err
	}
	s := Sockets{Admin: named[adminSocket]}
	delete(named, adminSocket)
	s.Public = slices.Concat(slices.Collect(maps.Values(named))...)
	if len(s.Public) == 0 {
		l, err := Listen(ctx, c.Listen)
		if err != nil {
			s.Close()
			return s, err
		}
		s.Public = []net.Listener{l}
	}
	if len(s.Admin) == 0 && c.AdminListen != "" {
		l, err := Listen(ctx, c.AdminListen)
		if err != nil {
			s.Close()
			return s, err
		}
		s.Admin = []net.Listener{l}
	}
	return s, nil
}

// Close closes the listeners; closed listeners stay closed.
func (s Sockets) Close() {
	for _, l := range slices.Concat(s.Public, s.Admin) {
		_ = l.Close()
	}
}

// Listen opens a listener; port 0 selects a free port.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}
