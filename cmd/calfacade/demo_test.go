package main

import (
	"net"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestDemoAdmin: the status page of the demo has the usual address, unless another program has it.
func TestDemoAdmin(t *testing.T) {
	busy := processtest.BusyAddress(t)
	for address, want := range map[string]string{"127.0.0.2:0": "127.0.0.2", busy: "127.0.0.1"} {
		l, err := listenDemoAdmin(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if host, _, _ := net.SplitHostPort(l.Addr().String()); host != want || l.Addr().String() == busy {
			t.Errorf("%s: %s, want %s", address, l.Addr(), want)
		}
	}
}
