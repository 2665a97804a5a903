package main

import (
	"slices"
	"time"
)

// row is one measurement.
type row struct {
	name    string
	server  string // see open.go
	request string // its kind; see loadOf
	base    string // the row of the same group and body that is 1.00; "" for this one itself
	by      measure
	limit   map[string]float64 // the target, by body: the maximum ratio to the base; missing means none
	few     bool               // fewConnections in place of the group's
	beside  time.Duration      // what the site takes: the row shows its cost beside that; 0 shows none
}

// measure is the compared figure of a row.
type measure string

const (
	byCPU measure = "CPU"
	byP50 measure = "p50"
	byP99 measure = "p99"
)

// group is rows that run one after the other, for each of the two bodies.
type group struct {
	name        string
	title       string
	connections int
	rows        []row
	targets     []row         // further targets: name and base of rows, by and limit
	misses      float64       // the share of requests that are to reach the origin
	delay       time.Duration // of the origin
	minimum     time.Duration // of a row in a round
}

// kinds of body.
const (
	bodyList   = "list"
	bodySingle = "single"
)

func both(limit float64) map[string]float64 {
	return map[string]float64{bodyList: limit, bodySingle: limit}
}

var groups = slices.Concat(direct, deployed)

// direct are the groups of clients whose requests have no header fields but their own.
var direct = []group{
	{name: "hits", title: "Hits", connections: 64, rows: []row{
		{name: "bare net/http + httprouter", server: "bare", request: "plain", by: byCPU},
		{name: "bare, timeouts", server: "bare-timeouts", request: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, timeouts and fields", server: "bare-fields", request: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, timeouts and fields, 304", server: "bare-fields", request: "304", base: "bare, timeouts and fields", by: byCPU},
		{name: "bare, timeouts and fields, Redis, 256 keys", server: "bare-redis", request: "keys", base: "bare net/http + httprouter", by: byCPU},
		{name: "bare, timeouts and fields, Redis, 256 keys, 16 connections", server: "bare-redis", request: "keys", base: "bare net/http + httprouter", by: byCPU, few: true},
		{name: "facade, memory", server: "facade", request: "plain", base: "bare, timeouts and fields", by: byCPU, limit: both(1)},
		{name: "facade, memory, gzip", server: "facade", request: "gzip", base: "facade, memory", by: byCPU, limit: map[string]float64{bodyList: 1, bodySingle: 1.1}},
		{name: "facade, memory, 304", server: "facade", request: "304", base: "bare, timeouts and fields, 304", by: byCPU, limit: both(1.25)},
		{name: "facade, Redis only, one key", server: "facade-redis", request: "plain", base: "bare net/http + httprouter", by: byCPU, limit: both(2.6)},
		{name: "facade, Redis only, 256 keys", server: "facade-redis", request: "keys", base: "bare, timeouts and fields, Redis, 256 keys", by: byCPU, limit: map[string]float64{bodyList: 1.3, bodySingle: 1.5}},
		{name: "facade, Redis only, 256 keys, 16 connections", server: "facade-redis", request: "keys", base: "bare, timeouts and fields, Redis, 256 keys, 16 connections", by: byCPU, limit: both(1.3), few: true},
		{name: "nginx proxy_cache", server: "nginx", request: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "nginx proxy_cache, gzip", server: "nginx", request: "gzip", base: "bare net/http + httprouter", by: byCPU},
		{name: "Varnish", server: "varnish", request: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "Varnish, gzip", server: "varnish", request: "gzip", base: "bare net/http + httprouter", by: byCPU},
		{name: "HAProxy cache", server: "haproxy", request: "plain", base: "bare net/http + httprouter", by: byCPU},
		{name: "HAProxy cache, gzip", server: "haproxy-gzip", request: "gzip", base: "bare net/http + httprouter", by: byCPU},
	}},
	{name: "lane", title: "The lane, 64 connections", connections: 64, rows: laneRows, targets: []row{
		{name: "lane", base: "nginx proxy_cache", by: byCPU, limit: map[string]float64{bodyList: 1.0, bodySingle: 0.77}},
		{name: "lane", base: "nginx proxy_cache", by: byP99, limit: both(2)},
		{name: "lane", base: "HAProxy cache", by: byCPU, limit: map[string]float64{bodySingle: 1.0}},
	}},
	{name: "lane-1", title: "The lane, 1 connection", connections: 1, rows: figures(laneRows, "plain", "304", "leave")},
	{name: "lane-1024", title: "The lane, 1,024 connections", connections: 1024, rows: figures(laneRows, "plain", "304")},
	{name: "looks", title: "Hits with Redis configured, 64 connections", connections: 64, rows: lookRows},
	{name: "looks-1", title: "Hits with Redis configured, 1 connection", connections: 1, rows: figures(lookRows, "plain")},
	{name: "looks-1024", title: "Hits with Redis configured, 1,024 connections", connections: 1024, rows: figures(lookRows, "plain")},
	{name: "misses", title: "Misses", connections: 1, misses: 1, rows: []row{
		{name: "ReverseProxy, tuned", server: "reverse", request: "new", by: byP50},
		{name: "resty, rewriting and storing only", server: "minimal", request: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "facade, rewriting and storing", server: "facade-plain", request: "new", base: "ReverseProxy, tuned", by: byP50, beside: siteTime},
		{name: "facade, rewriting, storing and compressing", server: "facade", request: "new", base: "ReverseProxy, tuned", by: byP50, beside: siteTime},
		{name: "facade, rewriting, no cache", server: "facade-uncached", request: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "ReverseProxy, 2 ms between requests", server: "reverse", request: "paced", by: byP50},
		{name: "facade, 2 ms between requests", server: "facade", request: "paced", base: "ReverseProxy, 2 ms between requests", by: byP50, beside: siteTime},
		{name: "origin, directly", server: "origin", request: "new", base: "ReverseProxy, tuned", by: byP50},
		{name: "stand-in, directly", server: "legacy", request: "again", base: "ReverseProxy, tuned", by: byP50},
	}, targets: []row{
		{name: "facade, rewriting and storing", base: "resty, rewriting and storing only", by: byP50, limit: both(1.5)},
	}},
}

// lookRows show what the looks at the log in Redis cost hits in memory.
var lookRows = []row{
	{name: "facade, without Redis", server: "facade", request: "plain", by: byCPU},
	{name: "facade, Redis configured", server: "facade-looks", request: "plain", base: "facade, without Redis", by: byCPU, limit: both(1.5)},
	{name: "lane, without Redis", server: "facade-lane", request: "plain", by: byCPU},
	{name: "lane, Redis configured", server: "facade-lane-looks", request: "plain", base: "lane, without Redis", by: byCPU, limit: both(1.5)},
}

// laneRows compare hits in the lane with hits in net/http, and show what the lane costs
// requests that it hands to net/http: the first of a connection, or each.
var laneRows = []row{
	{name: "bare net/http + httprouter", server: "bare", request: "plain", by: byCPU},
	{name: "facade", server: "facade", request: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "lane", server: "facade-lane", request: "plain", base: "bare net/http + httprouter", by: byCPU, limit: map[string]float64{bodyList: 0.67, bodySingle: 0.5}},
	{name: "facade, gzip", server: "facade", request: "gzip", base: "bare net/http + httprouter", by: byCPU},
	{name: "lane, gzip", server: "facade-lane", request: "gzip", base: "bare net/http + httprouter", by: byCPU},
	{name: "facade, 304", server: "facade", request: "304", base: "facade", by: byCPU},
	{name: "lane, 304", server: "facade-lane", request: "304", base: "facade", by: byCPU, limit: both(0.45)},
	{name: "facade, X-Calfacade-Tester", server: "facade", request: "leave", by: byCPU},
	{name: "lane, X-Calfacade-Tester", server: "facade-lane", request: "leave", base: "facade, X-Calfacade-Tester", by: byCPU, limit: both(1.15)},
	{name: "facade, one connection per request", server: "facade", request: "close", by: byCPU},
	{name: "lane, one connection per request", server: "facade-lane", request: "close", base: "facade, one connection per request", by: byCPU, limit: both(1.08)},
	{name: "nginx proxy_cache", server: "nginx", request: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "Varnish", server: "varnish", request: "plain", base: "bare net/http + httprouter", by: byCPU},
	{name: "HAProxy cache", server: "haproxy", request: "plain", base: "bare net/http + httprouter", by: byCPU},
}

// figures returns the rows with these kinds of requests, without their limits.
func figures(rows []row, requests ...string) []row {
	var some []row
	for _, r := range rows {
		if slices.Contains(requests, r.request) {
			r.limit = nil
			some = append(some, r)
		}
	}
	return some
}

// The groups that send no load with wrk.
const (
	groupAttack = "attack"
	groupIdle   = "idle"
	groupLooks  = "commands"
	groupMemory = "memory"
	groupPurges = "purges"
	groupParts  = "parts"
)

func groupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, groupAttack, groupIdle, groupLooks, groupMemory, groupPurges, groupParts)
}

// fewConnections are so few that calls to Redis stay within their budget although all
// processes share a core.
const fewConnections = 16

// check is one figure with its target.
type check struct {
	Name    string
	Got     float64
	Unit    string
	Limit   float64 // 0 for none
	Minimum bool    // the limit is a minimum
}
