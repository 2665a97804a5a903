package main

import (
	"fmt"
	"slices"
	"time"
)

// row is one line of what is measured.
type row struct {
	name   string
	server string // who answers; see open in lab.go
	ask    string // how; see asks
	base   string // the row of the same group and body that is 1.00; "" for this one itself
	by     measure
	most   map[string]float64 // the target by body: at most so many times the base; none where it has none
	few    bool               // fewConnections in place of the group's
}

// measure is what of a row is compared.
type measure string

const (
	byCPU measure = "CPU"
	byP50 measure = "p50"
	byP99 measure = "p99"
)

// group is rows that run in turn, for each of the two bodies.
type group struct {
	name        string
	title       string
	connections int
	rows        []row
	also        []row // further targets: a name and a base of rows, by and most
}

// kinds of body.
const (
	list   = "list"
	single = "single"
)

func both(most float64) map[string]float64 { return map[string]float64{list: most, single: most} }

var groups = []group{
	{name: "hits", title: "Hits", connections: 64, rows: []row{
		{name: "bare net/http + httprouter", server: "bare", ask: "plain", by: byCPU},
		{name: "bare, with the facade's timeouts", server: "bare-timeouts", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, with its timeouts and fields", server: "bare-fields", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, with both, 304", server: "bare-fields", ask: "304", base: "bare, with its timeouts and fields", by: byCPU},
		{name: "bare, with both, Redis, 256 keys", server: "bare-redis", ask: "keys", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, with both, Redis, 256 keys, 16 connections", server: "bare-redis", ask: "keys", base: "bare net/http + httprouter", by: byCPU, few: true},
		{name: "facade, memory", server: "facade", ask: "plain", base: "bare net/http + httprouter", by: byCPU, most: both(1.1)},
		{name: "facade, memory, gzip", server: "facade", ask: "gzip", base: "facade, memory", by: byCPU, most: both(1.0)},
		{name: "facade, memory, 304", server: "facade", ask: "304", base: "facade, memory", by: byCPU, most: both(0.7)},
		{name: "facade, Redis alone, one key", server: "facade-redis", ask: "plain", base: "bare net/http + httprouter", by: byCPU, most: both(2.6)},
		{name: "facade, Redis alone, 256 keys", server: "facade-redis", ask: "keys", base: "bare net/http + httprouter", by: byCPU, most: both(2.6)},
		{name: "facade, Redis alone, 256 keys, 16 connections", server: "facade-redis", ask: "keys", base: "bare net/http + httprouter", by: byCPU, most: both(2.6), few: true},
		{name: "nginx proxy_cache", server: "nginx", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "nginx proxy_cache, gzip", server: "nginx", ask: "gzip", base: "bare net/http + httprouter", by: byCPU},
		{name: "Varnish", server: "varnish", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "Varnish, gzip", server: "varnish", ask: "gzip", base: "bare net/http + httprouter", by: byCPU},
		{name: "HAProxy cache", server: "haproxy", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "HAProxy cache, gzip", server: "haproxy-gzip", ask: "gzip", base: "bare net/http + httprouter", by: byCPU},
	}},
	{name: "lane", title: "The lane, 64 connections", connections: 64, rows: laneRows, also: []row{
		{name: "lane", base: "nginx proxy_cache", by: byCPU, most: map[string]float64{list: 1.0, single: 0.77}},
		{name: "lane", base: "nginx proxy_cache", by: byP99, most: both(2)},
		{name: "lane", base: "HAProxy cache", by: byCPU, most: map[string]float64{single: 1.0}},
	}},
	{name: "lane-1", title: "The lane, 1 connection", connections: 1, rows: figures(laneRows, "plain", "304", "leave")},
	{name: "lane-1024", title: "The lane, 1,024 connections", connections: 1024, rows: figures(laneRows, "plain", "304")},
	{name: "misses", title: "Misses", connections: 1, rows: []row{
		{name: "ReverseProxy, tuned", server: "reverse", ask: "new", by: byP50},
		{name: "resty, rewriting and storing alone", server: "least", ask: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "facade, rewriting and storing", server: "facade-plain", ask: "new", base: "ReverseProxy, tuned", by: byP50, most: map[string]float64{list: 2.2, single: 1.3}},
		{name: "facade, rewriting, storing and compressing", server: "facade", ask: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "facade, rewriting, no cache", server: "facade-uncached", ask: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "ReverseProxy, 2 ms between requests", server: "reverse", ask: "paced", by: byP50},
		{name: "facade, 2 ms between requests", server: "facade", ask: "paced", base: "ReverseProxy, 2 ms between requests", by: byP50, most: map[string]float64{list: 2.2, single: 1.3}},
		{name: "the origin itself", server: "origin", ask: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "the legacy stand-in itself", server: "legacy", ask: "again", base: "ReverseProxy, tuned", by: byP50},
	}},
}

// laneRows compare hits in the lane with those that net/http answers, and what the
// lane costs those that leave it: once on a connection, or with each request.
var laneRows = []row{
	{name: "bare net/http + httprouter", server: "bare", ask: "plain", by: byCPU},
	{name: "facade", server: "facade", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "lane", server: "facade-lane", ask: "plain", base: "bare net/http + httprouter", by: byCPU, most: map[string]float64{list: 0.67, single: 0.5}},
	{name: "facade, gzip", server: "facade", ask: "gzip", base: "bare net/http + httprouter", by: byCPU},
	{name: "lane, gzip", server: "facade-lane", ask: "gzip", base: "bare net/http + httprouter", by: byCPU},
	{name: "facade, 304", server: "facade", ask: "304", base: "facade", by: byCPU},
	{name: "lane, 304", server: "facade-lane", ask: "304", base: "facade", by: byCPU, most: both(0.45)},
	{name: "facade, requests that leave", server: "facade", ask: "leave", by: byCPU},
	{name: "lane, requests that leave", server: "facade-lane", ask: "leave", base: "facade, requests that leave", by: byCPU, most: both(1.08)},
	{name: "facade, a connection for each", server: "facade", ask: "close", by: byCPU},
	{name: "lane, a connection for each", server: "facade-lane", ask: "close", base: "facade, a connection for each", by: byCPU, most: both(1.08)},
	{name: "nginx proxy_cache", server: "nginx", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "Varnish", server: "varnish", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "HAProxy cache", server: "haproxy", ask: "plain", base: "bare net/http + httprouter", by: byCPU},
}

// figures are the rows that ask in one of these ways, without their targets.
func figures(rows []row, asks ...string) []row {
	var some []row
	for _, r := range rows {
		if slices.Contains(asks, r.ask) {
			r.most = nil
			some = append(some, r)
		}
	}
	return some
}

// The groups that are no load: a process that counts.
const (
	groupAttack = "attack"
	groupMemory = "memory"
	groupPurges = "purges"
	groupParts  = "parts"
)

func groupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, groupAttack, groupMemory, groupPurges, groupParts)
}

// fewConnections are few enough that a core which everything shares does not use
// up the time that a call to Redis may take.
const fewConnections = 16

// listQuery is what the lists are asked with, and %d the number that makes a
// request a new one.
const listQuery = "?per_page=16&start_date=2026-01-01"

// asks are the ways to ask, by name.
func (b *lab) asks(body, server, ask string, connections int) (load, error) {
	base := eventsOf(server)
	path, numbered := base+listQuery, base+listQuery+"&search=%d"
	if body == single {
		path, numbered = base+"/"+b.eventID, base+"/%d"
	}
	l := load{path: path, connections: connections}
	switch ask {
	case "gzip":
		l.header = []string{"Accept-Encoding: gzip"}
	case "leave":
		l.header = []string{"X-Request-Id: bench"}
	case "close":
		l.header = []string{"Connection: close"}
	case "304":
		l.header = []string{"If-None-Match: " + b.tags[body]}
	case "keys":
		return b.scripted(l, numbered, keys, 0)
	case "new":
		return b.scripted(l, numbered, 0, 0)
	case "paced":
		return b.scripted(l, numbered, 0, 2*time.Millisecond)
	}
	return l, nil
}

// keys is how many the rows of many keys ask for in turn.
const keys = 256

func (b *lab) scripted(l load, numbered string, most int, pause time.Duration) (load, error) {
	b.scripts++
	file, err := b.machine.file(fmt.Sprintf("%d.lua", b.scripts), countUp(numbered, most, pause))
	l.script, l.path = file, ""
	return l, err
}
