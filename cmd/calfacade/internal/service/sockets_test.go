package service

import (
	"net"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
)

// TestTwoListeners: net/http gives a server without TLS a configuration of TLS once it
// serves, after which the next listener is as plain as the first.
func TestTwoListeners(t *testing.T) {
	var listeners []net.Listener
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	f := newFront(newServer(http.NotFoundHandler(), config.Default(), zap.NewNop()), listeners)
	served := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { served <- f.serve(l) }()
		res, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if err := f.shutdown(&http.Server{}, time.Minute); err != nil {
		t.Error(err)
	}
	for range listeners {
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}
