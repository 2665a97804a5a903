package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"time"
)

func main() {
	c := command{}
	flag.StringVar(&c.suite, "suite", "", "`DIR` with a clone of https://github.com/http-tests/cache-tests")
	flag.StringVar(&c.id, "id", "", "run the test with this `ID` alone, and print what was sent and received")
	flag.StringVar(&c.run, "run", "", "make only the run with this `NAME`")
	flag.StringVar(&c.out, "out", "docs/conformance.md", "`FILE` of the report")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.execute(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// command has the flags.
type command struct{ suite, id, run, out string }

// runs are the configurations that are tested.
var runs = []column{
	{name: "calfacade, defaults", key: "defaults", cache: "{}", without: []string{"freshness-none"}},
	{name: "calfacade, `cache.obey_origin`", key: "obey_origin", cache: "{obey_origin: true, ttl: {events: 1s}, stale_while_revalidate: 0s}"},
}

// execute runs the suite against each configuration, and writes the report.
func (c command) execute(ctx context.Context) (err error) {
	s, err := openSuite(ctx, c.suite)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "calfacade-conformance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	var made []column
	for _, one := range runs {
		if c.run != "" && c.run != one.key {
			continue
		}
		data, err := c.perform(ctx, s, binary, one)
		if err != nil {
			return err
		}
		if c.id != "" {
			fmt.Printf("%s\n%s", one.name, data)
			continue
		}
		if one.results, err = readResults(data); err != nil {
			return err
		}
		made = append(made, one)
	}
	if c.id != "" {
		return nil
	}
	open := explain(os.Stdout, s, made)
	if c.run == "" {
		others, err := s.published(ctx)
		if err != nil {
			return err
		}
		err = os.WriteFile(c.out, report(s, made, others), 0o644) // #nosec G306 -- a document
		if err != nil {
			return err
		}
	}
	if open > 0 {
		return fmt.Errorf("%d deviations without a reason", open)
	}
	return nil
}

// perform makes one run, and returns what the suite's client prints.
func (c command) perform(ctx context.Context, s *suite, binary string, one column) (out []byte, err error) {
	server, err := c.serveSuite(ctx, s)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	known := &targets{}
	site, err := listen(&origin{suite: server.url.String(), targets: known, client: &http.Transport{MaxIdleConnsPerHost: 64}})
	if err != nil {
		return nil, err
	}
	defer site.stop()
	address, err := freePort()
	if err != nil {
		return nil, err
	}
	stop, err := start(ctx, binary, address, configuration(address, site.url.String(), one.cache))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	cache, err := listen(newFront("http://"+address+"/wp-json", server.url, known))
	if err != nil {
		return nil, err
	}
	defer cache.stop()
	return s.run(ctx, cache.url.String(), c.id)
}

// running is a server.
type running struct {
	url  *url.URL
	stop func()
}

// serveSuite starts the suite's server.
func (c command) serveSuite(ctx context.Context, s *suite) (r running, err error) {
	address, err := freePort()
	if err != nil {
		return r, err
	}
	u := &url.URL{Scheme: "http", Host: address}
	_, port, _ := net.SplitHostPort(address)
	server := s.serve(ctx, port)
	if c.id != "" {
		server.Stdout = os.Stdout
	}
	if err := server.Start(); err != nil {
		return r, err
	}
	stop := func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	if err := serves(ctx, u.String()+"/state/none"); err != nil {
		stop()
		return r, err
	}
	return running{u, stop}, nil
}

// listen serves a handler on a free port.
func listen(h http.Handler) (r running, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return r, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	return running{&url.URL{Scheme: "http", Host: l.Addr().String()}, func() { _ = server.Close() }}, nil
}

// freePort returns an address that nothing listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
