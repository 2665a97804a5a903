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
	"strings"
	"sync"
	"time"
)

// idleConnections are open at once. Each has had a response.
const idleConnections = 10_000

// idleLimit is the target of a facade, as a ratio to bare net/http.
const idleLimit = 1.25

// idle returns the resident memory for each idle connection of HTTP/1.1, by server. Each
// server is a new process.
func (b *lab) idle(ctx context.Context) ([]check, error) {
	certificate, err := b.machine.certificate()
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, secured := range []files{{}, certificate} {
		name := map[bool]string{true: "TLS", false: "plain"}[secured.cert != ""]
		bare := 0.0
		for _, s := range b.idleServers(secured) {
			started, err := s.start(ctx)
			if err != nil {
				return nil, err
			}
			took, err := memoryOfIdle(started, started.url+eventsOf(s.kind)+"/"+b.eventID)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.name, name, err)
			}
			c := check{Name: s.name + ", " + name, Got: took / 1000, Unit: "kB a connection"}
			switch s.kind {
			case "bare":
				bare = c.Got
			case "facade":
				c.Limit = float64(int(bare*idleLimit*10)) / 10
			}
			checks = append(checks, c)
		}
	}
	return checks, ctx.Err()
}

type idleServer struct {
	name, kind string
	start      func(context.Context) (*server, error)
}

func (b *lab) idleServers(secured files) []idleServer {
	var flags []string
	if secured.cert != "" {
		flags = []string{"-cert", secured.cert, "-key", secured.key}
	}
	origin := b.servers["origin"].url
	role := func(args ...string) func(context.Context) (*server, error) {
		return func(ctx context.Context) (*server, error) {
			s, err := b.machine.role(ctx, append(args, flags...)...)
			return s.secured(secured), err
		}
	}
	all := []idleServer{
		{"bare net/http + httprouter, timeouts and fields", "bare", role(append([]string{"bare", "-timeouts", "-fields"}, b.bareFlags...)...)},
		{"facade", "facade", role("facade", "-origin", origin)},
		{"lane", "facade", role("facade", "-origin", origin, "-lane")},
	}
	if installed("nginx") {
		all = append(all, idleServer{"nginx", "nginx", func(ctx context.Context) (*server, error) {
			return nginx(ctx, b.machine, fmt.Sprint("nginx-idle-", len(flags)), strings.TrimPrefix(origin, "http://"), secured)
		}})
	}
	return all
}

// memoryOfIdle opens connections to a server, and returns the bytes by which its resident
// memory grows for each.
func memoryOfIdle(s *server, url string) (float64, error) {
	// A first one, so that what all connections share is there.
	first, err := openIdle(url, 100)
	if err != nil {
		return 0, err
	}
	defer closeAll(first)
	before := residentOf(s.cmd.Process.Pid)
	all, err := openIdle(url, idleConnections)
	defer closeAll(all)
	return float64(residentOf(s.cmd.Process.Pid)-before) / idleConnections, err
}

// openIdle opens n connections, of which each receives a response.
func openIdle(url string, n int) (all []net.Conn, err error) {
	var mu sync.Mutex
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			for range n / 20 {
				c, failed := idleConnection(url)
				mu.Lock()
				all, err = append(all, c), errors.Join(err, failed)
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	clients.Wait()
	return all, err
}

func idleConnection(url string) (net.Conn, error) {
	scheme, rest, _ := strings.Cut(url, "://")
	address, path, _ := strings.Cut(rest, "/")
	c, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, err
	}
	if scheme == "https" {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // #nosec G402 -- the certificate is signed by nobody
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // fails where the request does
	_, _ = fmt.Fprintf(c, "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n", path)
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
	if err != nil {
		return c, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	return c, err
}

func closeAll(all []net.Conn) {
	for _, c := range all {
		if c != nil {
			_ = c.Close()
		}
	}
}
