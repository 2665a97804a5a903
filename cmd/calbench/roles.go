package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
)

// process is the environment of a role.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// role is a server or a measurement with a process of its own.
type role func(context.Context, process) error

func roleOf(args []string) role {
	if len(args) == 0 {
		return nil
	}
	switch args[0] {
	case "origin":
		return origin
	case "legacy":
		return legacy
	case "bare":
		return bare
	case "minimal":
		return minimal
	case "reverse":
		return reverse
	case "facade":
		return facade
	case "fill":
		return fill
	case "follow":
		return follow
	case "micro":
		return micro
	}
	return nil
}

// legacy serves the stand-in.
func legacy(ctx context.Context, p process) error {
	return serve(ctx, p, &http.Server{Handler: sim.New(sim.Options{Site: siteURL})})
}

// newServer returns a server with the limits of calfacade serve.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 50 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
}

// reverse is httputil.ReverseProxy with a tuned transport and pooled buffers.
func reverse(ctx context.Context, p process) error {
	var target string
	if err := p.flags(func(f *flag.FlagSet) { f.StringVar(&target, "origin", "", "") }); err != nil {
		return err
	}
	to, err := url.Parse(target)
	if err != nil {
		return err
	}
	return serve(ctx, p, &http.Server{Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.URL.Path = strings.Replace(r.In.URL.Path, mapping.Namespace, legacyNamespace, 1)
		},
		Transport:  tuned(),
		BufferPool: &buffers{},
	}})
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

// serve serves until ctx ends, or until the parent, which holds the other end of stdin,
// exits. It prints its URL as the first line.
func serve(ctx context.Context, p process, s *http.Server, wrap ...func(net.Listener) net.Listener) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stdout, "http://%s\n", l.Addr())
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
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
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
