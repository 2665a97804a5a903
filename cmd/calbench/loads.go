package main

import (
	"fmt"
	"slices"
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
	case "keys":
		return b.scripted(l, numbered, keyCount, 0)
	case "new":
		return b.scripted(l, numbered, 0, 0)
	case "paced":
		return b.scripted(l, numbered, 0, 2*time.Millisecond)
	}
	return l, nil
}

// keyCount is the number of keys that the rows with many keys request in turn.
const keyCount = 256

func (b *lab) scripted(l load, numbered string, limit int, pause time.Duration) (load, error) {
	b.scripts++
	file, err := b.machine.file(fmt.Sprintf("%d.lua", b.scripts), countUp(numbered, limit, pause))
	l.script, l.path = file, ""
	return l, err
}

// eventsOf returns the path of the events at a server.
func eventsOf(server string) string {
	if slices.Contains([]string{"nginx", "varnish", "haproxy", "haproxy-gzip", "origin", "legacy"}, server) {
		return legacyPath + "/events"
	}
	return "/wp-json/calendar/events/v1/events"
}

// listQuery is the query of lists.
const listQuery = "?per_page=16&start_date=2026-01-01"
