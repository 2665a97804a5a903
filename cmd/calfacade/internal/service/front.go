package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/secure"
)

// front is the public server. A shutdown loses no request. [http.Server.Shutdown] alone drops a request that
// the server reads after the call, on a connection that was accepted just before.
type front struct {
	server    *http.Server
	listeners []net.Listener
	accepting sync.WaitGroup
	open      sync.WaitGroup // connections
	lane      *lane.Lane     // nil disables it
}

func newFront(server *http.Server, listeners []net.Listener) *front {
	f := &front{server: server, listeners: listeners}
	f.accepting.Add(len(listeners))
	server.ConnContext = lane.ConnContext
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			f.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			f.open.Done()
		}
	}
	return f
}

func (f *front) serve(l net.Listener) error {
	defer f.accepting.Done()
	return ignoreClosed(f.server.Serve(lane.Cork(l, f.lane)))
}

// unusedTimeout is the time after which a connection without any request counts as
// unused; [http.Server.Shutdown] uses the same.
const unusedTimeout = 5 * time.Second

// lingerTimeout is the time for which idle connections stay open while draining, so that their next response
// carries Connection: close. Closing a connection while a request is on the way would lose that request.
const lingerTimeout = time.Second

// drain stops accepting connections, serves the requests on the open ones, and closes each connection after
// the response.
func (f *front) drain(ctx context.Context) error {
	f.stopAccepting(ctx)
	allClosed := make(chan struct{})
	go func() {
		f.open.Wait()
		close(allClosed)
	}()
	await := func(d time.Duration) {
		select {
		case <-allClosed:
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	await(lingerTimeout)
	f.server.SetKeepAlivesEnabled(false)
	var cut error
	if f.lane != nil {
		cut = f.lane.Shutdown(ctx)
	}
	await(unusedTimeout)
	return cut
}

// stopAccepting closes the listeners, and waits for the handshakes in progress, for as long as for
// connections that are not used.
func (f *front) stopAccepting(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, unusedTimeout)
	defer cancel()
	for _, l := range f.listeners {
		if s, ok := l.(*secure.Listener); ok {
			_ = s.Stop()
			defer context.AfterFunc(ctx, func() { _ = s.Close() })()
			continue
		}
		_ = l.Close() // Serve closes the listener again
	}
	f.accepting.Wait()
}

// shutdown waits at most grace for the requests in flight. The admin listener shuts
// down last, so that an orchestrator can observe the drain.
func (f *front) shutdown(admin *http.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	var problems []error
	if err := f.drain(ctx); err != nil {
		problems = append(problems, fmt.Errorf("responses aborted after %s: %w", grace, err))
	}
	for _, s := range []*http.Server{f.server, admin} {
		if err := s.Shutdown(ctx); err != nil {
			problems = append(problems, fmt.Errorf("requests aborted after %s: %w", grace, err), s.Close())
		}
	}
	return errors.Join(problems...)
}

// ignoreClosed drops the errors that a closed server returns.
func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
