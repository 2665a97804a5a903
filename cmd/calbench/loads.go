package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// loadOf returns the load of a kind of request.
func (b *lab) loadOf(body, server, request string, connections int) (load, error) {
	base := eventsOf(server)
	path, numbered := base+listQuery, base+listQuery+"&search=%d"
	if body == bodySingle {
		path, numbered = base+"/"+b.eventID, base+"/%d"
	}
	l := load{path: path, connections: connections}
	switch request {
	case "gzip":
		l.header = []string{"Accept-Encoding: gzip"}
	case "leave":
		l.header = []string{"X-WP-Nonce: bench"}
	case "close":
		l.header = []string{"Connection: close"}
	case "304":
		l.header = []string{"If-None-Match: " + b.tags[body]}
	case "http2":
		l.http2 = true
	case "proxied":
		l.header = proxied
		return b.scripted(l, identified(path))
	case "proxied gzip":
		l.header = append([]string{"Accept-Encoding: gzip"}, proxied...)
		return b.scripted(l, identified(path))
	case "mix90":
		return b.scripted(l, mix(numbered, 0.1))
	case "mix99":
		return b.scripted(l, mix(numbered, 0.01))
	case "keys":
		return b.scripted(l, countUp(numbered, keyCount, 0))
	case "new":
		return b.scripted(l, countUp(numbered, 0, 0))
	case "paced":
		return b.scripted(l, countUp(numbered, 0, 2*time.Millisecond))
	}
	return l, nil
}

// proxied are header fields of a browser's request that ingress-nginx or Envoy forwards,
// beside Host and X-Request-Id: the first nine are a browser's, then those of ingress-nginx
// (template/nginx.tmpl), then those of Envoy with tracing and no sample.
var proxied = []string{
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
	"Accept: application/json",
	"Accept-Language: en-GB,en;q=0.7,de;q=0.3",
	"Referer: https://www.example.org/calendar/",
	"Cookie: _ga=GA1.1.1094523861.1763800000; consent=necessary%2Cstatistics",
	"DNT: 1",
	"Sec-Fetch-Dest: empty",
	"Sec-Fetch-Mode: cors",
	"Sec-Fetch-Site: same-site",
	"X-Real-IP: 203.0.113.7",
	"X-Forwarded-For: 203.0.113.7",
	"X-Forwarded-Host: calendar.example.org",
	"X-Forwarded-Port: 443",
	"X-Forwarded-Proto: https",
	"X-Forwarded-Scheme: https",
	"X-Scheme: https",
	"X-Envoy-Expected-Rq-Timeout-Ms: 15000",
	"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
}

// keyCount is the number of keys that the rows with many keys request in turn.
const keyCount = 256

func (b *lab) scripted(l load, script string) (load, error) {
	b.scripts++
	file, err := b.machine.file(fmt.Sprintf("%d.lua", b.scripts), script)
	l.script, l.path = file, ""
	return l, err
}

// eventsOf returns the path of the events at a server.
func eventsOf(server string) string {
	if slices.Contains([]string{"origin", "legacy"}, server) || slices.ContainsFunc(others, func(kind string) bool { return strings.HasPrefix(server, kind) }) {
		return legacyPath + "/events"
	}
	return "/wp-json/calendar/events/v1/events"
}

// others are the kinds of servers that serve the origin's responses unchanged, under its
// paths.
var others = []string{"nginx", "varnish", "haproxy", "caddy"}

// listQuery is the query of lists.
const listQuery = "?per_page=16&start_date=2026-01-01"
