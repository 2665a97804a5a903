package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lab holds what is under measurement.
type lab struct {
	settings settings
	machine  *machine
	servers  map[string]*server
	missing  []string          // programs that are not installed
	tags     map[string]string // the facade's ETag, by body
	sizes    map[string]int    // bytes of the facade's answer, by body
	eventID  string            // of the single
	scripts  int               // written so far
	turns    int               // run so far: numbers of new requests begin elsewhere each time
}

// bench measures what the settings want, and tells and writes it.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	if !installed("wrk") {
		return errors.New("wrk is missing (apt-get install wrk)")
	}
	m, err := newMachine(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	b := &lab{settings: s, machine: m, servers: map[string]*server{}, tags: map[string]string{}, sizes: map[string]int{}, eventID: "129"}
	r := newReport(s)
	if err := b.open(ctx); err != nil {
		return err
	}
	for _, g := range groups {
		if !s.wants(g.name) {
			continue
		}
		for _, body := range []string{list, single} {
			got, err := b.measure(ctx, g, body, stderr)
			if err != nil {
				return err
			}
			r.addGroup(g, body, got)
		}
	}
	for _, one := range []string{groupParts, groupMemory, groupNews} {
		if s.wants(one) && (one != groupNews || installed("redis-server")) {
			checks, err := b.count(ctx, one)
			if err != nil {
				return err
			}
			r.addChecks(one, checks)
		}
	}
	text := r.text(b)
	_, _ = io.WriteString(stdout, text)
	if s.output == "" {
		return nil
	}
	return os.WriteFile(s.output, []byte(text), 0o644)
}

// open starts the servers.
func (b *lab) open(ctx context.Context) error {
	for _, p := range []string{"taskset", "nginx", "varnishd", "redis-server"} {
		if !installed(p) {
			b.missing = append(b.missing, p)
		}
	}
	for name, args := range map[string][]string{"origin": {"origin"}, "legacy": {"legacy"}} {
		if err := b.role(ctx, name, args...); err != nil {
			return err
		}
	}
	origin := b.servers["origin"].url
	steps := []func() error{
		func() error { return b.role(ctx, "facade", "facade", "-origin", origin) },
		func() error { return b.role(ctx, "facade-lane", "facade", "-origin", origin, "-lane") },
		func() error { return b.role(ctx, "facade-uncached", "facade", "-origin", origin, "-cached=false") },
		func() error { return b.role(ctx, "reverse", "reverse", "-origin", origin) },
		func() error { return b.openBare(ctx) },
		func() error { return b.openOthers(ctx, strings.TrimPrefix(origin, "http://")) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return b.warm()
}

func (b *lab) role(ctx context.Context, name string, args ...string) (err error) {
	b.servers[name], err = b.machine.role(ctx, args...)
	return err
}

// openBare starts the bare handler with the facade's own bodies.
func (b *lab) openBare(ctx context.Context) error {
	args := []string{"bare"}
	for _, body := range []string{list, single} {
		l, err := b.asks(body, "facade", "plain", 1)
		if err != nil {
			return err
		}
		h, data, err := get(b.servers["facade"].url + l.path)
		if err != nil {
			return err
		}
		b.tags[body], b.sizes[body] = h.Get("Etag"), len(data)
		file := filepath.Join(b.machine.dir, body+".json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
		args = append(args, "-"+body, file)
	}
	if err := b.role(ctx, "bare", args...); err != nil {
		return err
	}
	return b.role(ctx, "bare-timeouts", append(args, "-timeouts")...)
}

func (b *lab) openOthers(ctx context.Context, origin string) (err error) {
	if installed("nginx") {
		if b.servers["nginx"], err = nginx(ctx, b.machine, origin); err != nil {
			return err
		}
	}
	if installed("varnishd") {
		if b.servers["varnish"], err = varnish(ctx, b.machine, origin); err != nil {
			return err
		}
	}
	if !installed("redis-server") {
		return nil
	}
	url, err := redisServer(ctx, b.machine)
	if err != nil {
		return err
	}
	return b.role(ctx, "facade-redis", "facade", "-origin", "http://"+origin, "-redis", url, "-small")
}

// warm fills every cache with what will be asked of it, until all of it is a hit.
func (b *lab) warm() error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		cold, err := b.cold()
		if err != nil || cold == 0 {
			return err
		}
	}
	return errors.New("the caches do not fill")
}

// cold asks all that will be asked, and counts what was no hit.
func (b *lab) cold() (n int, err error) {
	base := "/wp-json/calendar/events/v1/events"
	paths := []string{base + listQuery, base + "/" + b.eventID}
	for name, many := range map[string]int{"facade": 0, "facade-lane": 0, "facade-redis": keys} {
		s := b.servers[name]
		if s == nil {
			continue
		}
		all := paths
		for i := range many {
			all = append(all, fmt.Sprintf("%s/%d", base, i), fmt.Sprintf("%s%s&search=%d", base, listQuery, i))
		}
		for _, path := range all {
			h, _, err := get(s.url + path)
			if err != nil {
				return 0, err
			}
			if !strings.HasPrefix(h.Get("Cache-Status"), "calfacade; hit") {
				n++
			}
		}
	}
	for _, name := range []string{"facade", "facade-lane"} {
		for _, path := range paths {
			h, _, err := get(b.servers[name].url+path, "gzip")
			if err != nil {
				return 0, err
			}
			if h.Get("Content-Encoding") == "" {
				n++
			}
		}
	}
	return n, nil
}

// get asks once, as a client that takes these codings.
func get(url string, accept ...string) (http.Header, []byte, error) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header["Accept-Encoding"] = accept
	res, err := plain.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", url, res.StatusCode, body)
	}
	return res.Header, body, err
}

var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 10 * time.Second}
