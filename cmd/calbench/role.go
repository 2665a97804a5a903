package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// process is the environment of a role.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

func (p process) flags(define func(*flag.FlagSet)) error {
	f := flag.NewFlagSet("calbench", flag.ContinueOnError)
	f.SetOutput(p.stderr)
	define(f)
	if err := f.Parse(p.args); err != nil {
		return errUsage
	}
	return nil
}

// role is a server or a measurement with a process of its own.
type role func(context.Context, process) error

// newServer returns a server with the limits of calfacade serve.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		ErrorLog: log.New(io.Discard, "", 0), // wrk closes its first connection during the handshake
		Handler:  h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 50 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
}

// tuned returns a transport that keeps a connection for each call in flight.
func tuned() *http.Transport {
	return &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true}
}

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if have, ok := b.pool.Get().(*[]byte); ok {
		return *have
	}
	return make([]byte, 64<<10)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }

// certificateFlags adds flags for the files of a certificate to f.
func certificateFlags(f *flag.FlagSet) *files {
	c := new(files)
	f.StringVar(&c.cert, "cert", "", "")
	f.StringVar(&c.key, "key", "", "")
	return c
}

// serve serves until ctx ends, or until the parent, which holds the other end of stdin,
// exits, with TLS if the server has a TLSConfig. It prints its URL without TLS as the first
// line.
func serve(ctx context.Context, p process, s *http.Server, wrap ...func(net.Listener) net.Listener) error {
	defer func() { _ = s.Close() }()
	return listen(ctx, p, func(l net.Listener) error {
		for _, w := range wrap {
			l = w(l)
		}
		if s.TLSConfig != nil {
			return s.ServeTLS(l, "", "")
		}
		return s.Serve(l)
	})
}

// listen does that, without TLS, for a function that accepts connections until the listener is closed.
func listen(ctx context.Context, p process, accept func(net.Listener) error) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stdout, "http://%s\n", l.Addr())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, p.stdin)
		cancel()
	}()
	context.AfterFunc(ctx, func() { _ = l.Close() })
	if err := accept(l); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

var errUsage = errors.New("bad arguments")
