package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// lab holds the servers that are measured.
type lab struct {
	settings  settings
	machine   *machine
	servers   map[string]*server
	failed    map[string]error  // servers that did not start, or whose cache did not fill
	missing   []string          // programs that are not installed
	tags      map[string]string // the facade's ETag, by body
	bareFlags []string          // name files with responses of the facade
	sizes     map[string]int    // bytes of the facade's response, by body
	eventID   string            // of the single
	scripts   int               // written so far
	rounds    int               // run so far: numbers of new requests begin elsewhere each time
}

// bench runs the measurements of the settings, reports its progress and writes the
// report.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) (err error) {
	if !installed("wrk") {
		return errors.New("wrk is missing (apt-get install wrk)")
	}
	m, err := newMachine(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.stop()) }()
	b := &lab{settings: s, machine: m, servers: map[string]*server{}, failed: map[string]error{}, tags: map[string]string{}, sizes: map[string]int{}, eventID: "129"}
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
	for _, one := range []string{groupParts, groupMemory, groupAttack, groupPurges} {
		if s.wants(one) && (one != groupPurges || installed("redis-server")) {
			checks, err := b.count(ctx, one)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.addChecks(one, checks, err)
		}
	}
	text := r.text(b)
	_, _ = io.WriteString(stdout, text)
	if s.output != "" {
		err = os.WriteFile(s.output, []byte(text), 0o644)
	}
	if len(r.failed) > 0 {
		err = errors.Join(err, fmt.Errorf("%d measurements failed; the report has the others", len(r.failed)))
	}
	return err
}

// open starts the servers. Without the origin nothing can be measured; if another server
// fails, its rows show that.
func (b *lab) open(ctx context.Context) error {
	for _, p := range []string{"taskset", "nginx", "varnishd", "haproxy", "redis-server"} {
		if !installed(p) {
			b.missing = append(b.missing, p)
		}
	}
	b.role(ctx, "origin", "origin")
	if err := b.failed["origin"]; err != nil {
		return err
	}
	origin := b.servers["origin"].url
	b.role(ctx, "legacy", "legacy")
	b.role(ctx, "facade", "facade", "-origin", origin)
	b.role(ctx, "facade-plain", "facade", "-origin", origin, "-plain")
	b.role(ctx, "facade-lane", "facade", "-origin", origin, "-lane")
	b.role(ctx, "facade-uncached", "facade", "-origin", origin, "-cached=false")
	b.role(ctx, "reverse", "reverse", "-origin", origin)
	b.openBare(ctx, origin)
	b.openOthers(ctx, strings.TrimPrefix(origin, "http://"))
	b.warm(ctx)
	return ctx.Err()
}

func (b *lab) role(ctx context.Context, name string, args ...string) {
	s, err := b.machine.role(ctx, args...)
	b.add(name, s, err)
}

// add adds a server, or the reason why it did not start.
func (b *lab) add(name string, s *server, err error) {
	if err != nil {
		b.fail(name, err)
		return
	}
	b.servers[name] = s
}

func (b *lab) fail(name string, err error) {
	delete(b.servers, name)
	b.failed[name] = err
}

// openBare starts the bare servers, which serve responses of a facade without being one.
func (b *lab) openBare(ctx context.Context, origin string) {
	args, err := b.bodies()
	if err != nil {
		for _, name := range []string{"bare", "bare-timeouts", "bare-fields", "bare-redis", "minimal"} {
			b.fail(name, err)
		}
		return
	}
	b.role(ctx, "bare", append([]string{"bare"}, args...)...)
	b.role(ctx, "bare-timeouts", append([]string{"bare", "-timeouts"}, args...)...)
	b.role(ctx, "bare-fields", append([]string{"bare", "-timeouts", "-fields"}, args...)...)
	b.role(ctx, "minimal", append([]string{"minimal", "-origin", origin}, args...)...)
	b.bareFlags = args
}

// bodies writes responses of the facade to files, and returns them as flags of bare.
func (b *lab) bodies() (flags []string, err error) {
	if err := b.failed["facade"]; err != nil {
		return nil, fmt.Errorf("no bodies: %w", err)
	}
	for _, body := range []string{list, single} {
		l, err := b.loadOf(body, "facade", "plain", 1)
		if err != nil {
			return nil, err
		}
		h, data, err := get(b.servers["facade"].url + l.path)
		if err != nil {
			return nil, err
		}
		b.tags[body], b.sizes[body] = h.Get("Etag"), len(data)
		file, err := b.machine.file(body+".http", asText(h, data))
		if err != nil {
			return nil, err
		}
		flags = append(flags, "-"+body, file)
	}
	return flags, nil
}

// asText returns a response as it is sent.
func asText(h http.Header, body []byte) string {
	var text strings.Builder
	res := http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}
	_ = res.Write(&text) // which does not fail
	return text.String()
}

// openOthers starts the other servers that are installed.
func (b *lab) openOthers(ctx context.Context, origin string) {
	if installed("nginx") {
		s, err := nginx(ctx, b.machine, origin)
		b.add("nginx", s, err)
	}
	if installed("varnishd") {
		s, err := varnish(ctx, b.machine, origin)
		b.add("varnish", s, err)
	}
	if installed("haproxy") {
		s, err := haproxy(ctx, b.machine, origin, "plain")
		b.add("haproxy", s, err)
		s, err = haproxy(ctx, b.machine, origin, "gzip")
		b.add("haproxy-gzip", s, err)
	}
	if !installed("redis-server") {
		return
	}
	url, err := redisServer(ctx, b.machine)
	if err != nil {
		b.fail("facade-redis", err)
		b.fail("bare-redis", err)
		return
	}
	b.role(ctx, "bare-redis", append([]string{"bare", "-timeouts", "-redis", url}, b.bareFlags...)...)
	b.role(ctx, "facade-redis", "facade", "-origin", "http://"+origin, "-redis", url, "-small")
}

// get sends one request, as a client that accepts these codings.
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
