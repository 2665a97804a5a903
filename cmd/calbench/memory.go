package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	idleConnections = 10_000 // open at once; each has had a response
	cachedEvents    = 20_000
)

// measureMemory returns by how much the resident memory of a new process grows: for each idle connection of
// HTTP/1.1, without and with TLS, and for each event in the cache. nginx has the cache on disk, and HAProxy
// allocates the maximum of the cache at the start.
func measureMemory(ctx context.Context, b *lab, g group) table {
	t := table{title: g.title, header: []string{"kB", "an idle connection", "an idle connection, TLS", "a cached event"}}
	for _, r := range g.rows {
		cells := []string{r.name}
		var failed error
		for _, growth := range []struct {
			tls, cached bool
			grow        func(context.Context, string) (int, error)
		}{{false, false, openIdle}, {true, false, openIdle}, {false, true, fetchEvents}} {
			if growth.tls && r.server == varnish || growth.cached && r.server != varnish && r.server != facade {
				cells = append(cells, "–")
				continue
			}
			grown, err := b.grown(ctx, r, growth.tls, growth.grow)
			cells = append(cells, fmt.Sprintf("%.2f", grown/1000))
			failed = errors.Join(failed, err)
		}
		if failed == nil {
			t.rows = append(t.rows, cells)
		} else if !errors.Is(failed, errMissing) {
			t.fail(r.name, failed)
		}
	}
	return t
}

// grown starts a server, and returns the bytes by which its resident memory grows for each thing that grow makes.
func (b *lab) grown(ctx context.Context, r row, secured bool, grow func(context.Context, string) (int, error)) (float64, error) {
	s, err := b.start(ctx, r.server, secured)
	if err != nil {
		return 0, err
	}
	// Connections are closed at the end.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	target := s.url + pathOf(bodySingle, r.server)
	for range 100 { // fills the buffers and pools that all connections share
		if _, _, err := get(target); err != nil {
			return 0, err
		}
	}
	startUsage, err := usageOf(s.pid)
	if err != nil {
		return 0, err
	}
	n, err := grow(ctx, target)
	if err != nil {
		return 0, err
	}
	endUsage, err := usageOf(s.pid)
	return float64(endUsage.resident-startUsage.resident) / float64(n), err
}

// openIdle opens connections, which stay open until ctx ends. Each receives a response.
func openIdle(ctx context.Context, target string) (int, error) {
	var clients errgroup.Group
	for range maxClients {
		clients.Go(func() error {
			for range idleConnections / maxClients {
				if err := idleConnection(ctx, target); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return idleConnections, clients.Wait()
}

func idleConnection(ctx context.Context, target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return err
	}
	if u.Scheme == "https" {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // the certificate is signed by nobody
	}
	context.AfterFunc(ctx, func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", u.RequestURI()); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return errors.Join(err, res.Body.Close())
}

// fetchEvents requests events that the cache does not have.
func fetchEvents(_ context.Context, target string) (int, error) {
	var clients errgroup.Group
	for i := range maxClients {
		clients.Go(func() error {
			for n := i; n < cachedEvents; n += maxClients {
				if _, _, err := get(fmt.Sprintf("%s%d", strings.TrimSuffix(target, "129"), 1000+n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cachedEvents, clients.Wait()
}
