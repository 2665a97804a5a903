package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/calfacade/calfacade/proxy/lane"
)

// front is the server for clients. It ends without losing a request, which
// [http.Server.Shutdown] alone does not: a request that it reads from then on, on
// a connection accepted just before, is dropped without an answer.
type front struct {
	server    *http.Server
	secured   bool // by TLS
	listeners []net.Listener
	accepting sync.WaitGroup
	open      sync.WaitGroup // connections
	lane      *lane.Lane     // nil: none
}

func newFront(server *http.Server, listeners []net.Listener) *front {
	f := &front{server: server, secured: server.TLSConfig != nil, listeners: listeners}
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
	return ignoreClosed(accept(f.server, f.secured, f.lane, l))
}

// unheard is how long a connection may say nothing before it is taken for one
// that is held in reserve; [http.Server.Shutdown] waits as long.
const unheard = 5 * time.Second

// lingering is how long a connection that is kept may say nothing before it is closed:
// a client that is about to use it is to read Connection: close first. One that is closed
// while a request is on its way costs the client that request.
const lingering = time.Second

// drain accepts no more connections, answers what comes on those that there are,
// and closes each after its answer.
func (f *front) drain(ctx context.Context) error {
	for _, l := range f.listeners {
		_ = l.Close() // it is closed again by who serves it
	}
	f.accepting.Wait()
	gone := make(chan struct{})
	go func() {
		f.open.Wait()
		close(gone)
	}()
	await := func(d time.Duration) {
		select {
		case <-gone:
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	await(lingering)
	f.server.SetKeepAlivesEnabled(false)
	var cut error
	if f.lane != nil {
		cut = f.lane.Shutdown(ctx)
	}
	await(unheard)
	return cut
}

// shutdown lets requests under way end, for at most grace; those of the admin
// listener last, so that an orchestrator sees the drain.
func (f *front) shutdown(admin *http.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	var problems []error
	if err := f.drain(ctx); err != nil {
		problems = append(problems, fmt.Errorf("answers cut off after %s: %w", grace, err))
	}
	for _, s := range []*http.Server{f.server, admin} {
		if err := s.Shutdown(ctx); err != nil {
			problems = append(problems, fmt.Errorf("requests cut off after %s: %w", grace, err), s.Close())
		}
	}
	return errors.Join(problems...)
}

// ignoreClosed drops the errors of a server that was told to end.
func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
