package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
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
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
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

// certified adds flags for a certificate to f. The returned function sets it as that of a server,
// if there is one.
func certified(f *flag.FlagSet) func(*http.Server) error {
	cert, key := f.String("cert", "", ""), f.String("key", "", "")
	return func(s *http.Server) error {
		if *cert == "" {
			return nil
		}
		pair, err := tls.LoadX509KeyPair(*cert, *key)
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
		return err
	}
}

// serve serves until ctx ends, or until the parent, which holds the other end of stdin,
// exits. It prints its URL as the first line.
func serve(ctx context.Context, p process, s *http.Server, wrap ...func(net.Listener) net.Listener) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	scheme, accept := "http", s.Serve
	if s.TLSConfig != nil {
		scheme, accept = "https", func(l net.Listener) error { return s.ServeTLS(l, "", "") }
	}
	_, _ = fmt.Fprintf(p.stdout, "%s://%s\n", scheme, l.Addr())
	for _, w := range wrap {
		l = w(l)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, p.stdin)
		cancel()
	}()
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := accept(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

var errUsage = errors.New("bad arguments")
