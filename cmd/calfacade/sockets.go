package main

import (
	"context"
	"maps"
	"net"
	"slices"

	"github.com/coreos/go-systemd/v22/activation"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
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
