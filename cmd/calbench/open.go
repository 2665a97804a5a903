package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// open starts the servers. Without the origin nothing can be measured; if another server
// fails, its rows show that.
func (b *lab) open(ctx context.Context) error {
	for _, p := range []string{"taskset", "nginx", "varnishd", "haproxy", "redis-server", "h2load"} {
		if !installed(p) {
			b.missing = append(b.missing, p)
		}
	}
	if !hasCacheHandler(ctx) {
		b.missing = append(b.missing, "caddy with the module http.handlers.cache")
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
	b.role(ctx, "facade-behind", "facade", "-origin", origin, "-behind")
	b.role(ctx, "facade-lane-behind", "facade", "-origin", origin, "-behind", "-lane")
	b.role(ctx, "facade-lane-plain", "facade", "-origin", origin, "-behind", "-lane", "-plain-sockets")
	b.role(ctx, "facade-uncached", "facade", "-origin", origin, "-cached=false")
	b.role(ctx, "reverse", "reverse", "-origin", origin)
	b.openBare(ctx, origin)
	b.openTLS(ctx, origin)
	b.openOthers(ctx, strings.TrimPrefix(origin, "http://"))
	b.warm(ctx)
	return ctx.Err()
}

// openBare starts the bare servers, which serve responses of a facade without being one.
func (b *lab) openBare(ctx context.Context, origin string) {
	args, err := b.bodies()
	if err != nil {
		for _, name := range []string{"bare", "bare-timeouts", "bare-fields", "bare-redis", "sockets", "minimal"} {
			b.fail(name, err)
		}
		return
	}
	b.role(ctx, "bare", append([]string{"bare"}, args...)...)
	b.role(ctx, "bare-timeouts", append([]string{"bare", "-timeouts"}, args...)...)
	b.role(ctx, "bare-fields", append([]string{"bare", "-timeouts", "-fields"}, args...)...)
	b.role(ctx, "sockets", append([]string{"sockets"}, args...)...)
	b.role(ctx, "minimal", append([]string{"minimal", "-origin", origin}, args...)...)
	b.bareFlags = args
}

// openTLS starts the servers with TLS.
func (b *lab) openTLS(ctx context.Context, origin string) {
	tls, err := b.machine.certificate()
	if err != nil {
		for _, name := range []string{"bare-tls", "facade-tls", "nginx-tls", "haproxy-tls", "caddy-tls"} {
			b.fail(name, err)
		}
		return
	}
	pair := []string{"-cert", tls.cert, "-key", tls.key}
	s, err := b.machine.role(ctx, append([]string{"facade", "-origin", origin, "-lane"}, pair...)...)
	b.add("facade-tls", s.secured(tls), err)
	if b.bareFlags != nil {
		s, err := b.machine.role(ctx, slices.Concat([]string{"bare", "-timeouts", "-fields"}, pair, b.bareFlags)...)
		b.add("bare-tls", s.secured(tls), err)
	}
	address := strings.TrimPrefix(origin, "http://")
	if installed("nginx") {
		s, err := nginx(ctx, b.machine, "nginx-tls", address, tls)
		b.add("nginx-tls", s, err)
	}
	if installed("haproxy") {
		s, err := haproxy(ctx, b.machine, address, "plain", tls)
		b.add("haproxy-tls", s, err)
	}
	if hasCacheHandler(ctx) {
		s, err := caddy(ctx, b.machine, address, tls)
		b.add("caddy-tls", s, err)
	}
}

// bodies writes responses of the facade to files, and returns them as flags of bare.
func (b *lab) bodies() (flags []string, err error) {
	if err := b.failed["facade"]; err != nil {
		return nil, fmt.Errorf("no bodies: %w", err)
	}
	for _, body := range []string{bodyList, bodySingle} {
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
		s, err := nginx(ctx, b.machine, "nginx", origin, files{})
		b.add("nginx", s, err)
	}
	if installed("varnishd") {
		s, err := varnish(ctx, b.machine, origin)
		b.add("varnish", s, err)
	}
	if installed("haproxy") {
		s, err := haproxy(ctx, b.machine, origin, "plain", files{})
		b.add("haproxy", s, err)
		s, err = haproxy(ctx, b.machine, origin, "gzip", files{})
		b.add("haproxy-gzip", s, err)
	}
	if hasCacheHandler(ctx) {
		s, err := caddy(ctx, b.machine, origin, files{})
		b.add("caddy", s, err)
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
	b.openLooks(ctx, "http://"+origin)
	b.role(ctx, "bare-redis", append([]string{"bare", "-timeouts", "-redis", url}, b.bareFlags...)...)
	b.role(ctx, "facade-redis", "facade", "-origin", "http://"+origin, "-redis", url, "-small")
}

// openLooks starts the facades that look at the log for each hit in memory, with a Redis of their own.
func (b *lab) openLooks(ctx context.Context, origin string) {
	url, err := redisServer(ctx, b.machine)
	if err != nil {
		b.fail("facade-looks", err)
		b.fail("facade-lane-looks", err)
		return
	}
	b.looksAt = url
	b.role(ctx, "facade-looks", "facade", "-origin", origin, "-redis", url)
	b.role(ctx, "facade-lane-looks", "facade", "-origin", origin, "-redis", url, "-lane")
}
