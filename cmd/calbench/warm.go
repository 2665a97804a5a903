package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// caches lists the requests that fill the caches before the measurements: the two
// bodies in each of the codings, or many keys.
var caches = []struct {
	server  string
	codings []string // of Accept-Encoding; "" for none
	keys    int
}{
	{"facade", []string{"", "gzip"}, 0},
	{"facade-lane", []string{"", "gzip"}, 0},
	{"facade-behind", []string{""}, 0},
	{"facade-lane-behind", []string{"", "gzip"}, 0},
	{"facade-lane-plain", []string{""}, 0},
	{"facade-tls", []string{""}, 0},
	{"facade-redis", []string{""}, keyCount},
	{"facade-looks", []string{""}, 0},
	{"facade-lane-looks", []string{""}, 0},
	{"bare-redis", []string{""}, keyCount},
	{"nginx", []string{"", "gzip"}, 0},
	{"varnish", []string{"", "gzip"}, 0},
	{"haproxy", []string{""}, 0},
	{"haproxy-gzip", []string{"gzip"}, 0},
	{"caddy", []string{""}, 0},
	{"nginx-tls", []string{""}, 0},
	{"haproxy-tls", []string{""}, 0},
	{"caddy-tls", []string{""}, 0},
}

// warm fills every cache with the responses of its measurements, until all are hits.
func (b *lab) warm(ctx context.Context) {
	for _, c := range caches {
		if b.servers[c.server] == nil {
			continue
		}
		if err := b.fillCache(ctx, c.server, c.codings, c.keys); err != nil {
			b.fail(c.server, err)
		}
	}
}

// prepare fills the caches of a group with misses with the keys that are to be hits, and
// sets the time that the origin takes.
func (b *lab) prepare(ctx context.Context, g group) error {
	if g.delay == 0 {
		return nil
	}
	for _, r := range g.rows {
		if b.servers[r.server] == nil {
			continue
		}
		if err := b.fillCache(ctx, r.server, []string{""}, zipfKeys); err != nil {
			b.fail(r.server, err)
		}
	}
	return b.delay(g.delay)
}

func (b *lab) fillCache(ctx context.Context, server string, codings []string, many int) error {
	for deadline := time.Now().Add(15 * time.Second); ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		cold, err := b.cold(server, codings, many)
		if err != nil || cold == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("the cache does not fill")
		}
	}
	return ctx.Err()
}

// cold sends all requests of the measurements, and counts those that the origin answered
// and the responses in another coding.
func (b *lab) cold(server string, codings []string, many int) (n int, err error) {
	before, err := b.answered()
	if err != nil {
		return 0, err
	}
	base := eventsOf(server)
	paths := []string{base + listQuery, base + "/" + b.eventID}
	for i := range many {
		paths = append(paths, fmt.Sprintf("%s/%d", base, i), fmt.Sprintf("%s%s&search=%d", base, listQuery, i))
	}
	for _, path := range paths {
		for _, coding := range codings {
			h, _, err := get(b.servers[server].url+path, strings.Fields(coding)...)
			if err != nil {
				return 0, err
			}
			if h.Get("Content-Encoding") != coding {
				n++
			}
		}
	}
	after, err := b.answered()
	return n + after - before, err
}
