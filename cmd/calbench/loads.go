package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/proxytest"
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
		l.header = []string{"X-Calfacade-Tester: bench"}
	case "close":
		l.header = []string{"Connection: close"}
	case "304":
		l.header = []string{"If-None-Match: " + b.tags[body]}
	case "http2":
		l.http2 = true
	case "proxied":
		l.header = proxytest.Proxied
		return b.scripted(l, identified(path))
	case "proxied gzip":
		l.header = append([]string{"Accept-Encoding: gzip"}, proxytest.Proxied...)
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
