package main

import "context"

// group is a table of the report.
type group struct {
	name        string
	title       string
	rows        []row // they run one after the other, in each round; the first is 1.00
	connections int
	tls         bool
	measure     func(context.Context, *lab, group) table // nil measures the rows by their loads
}

// row is one measurement, of each body.
type row struct {
	name    string
	server  string // see servers.go
	request string // see loadOf
}

// Kinds of bodies.
const (
	bodyList   = "list"
	bodySingle = "single"
)

// Servers by the names of their programs.
const (
	bare      = "bare"
	facade    = "calfacade"
	withRedis = "calfacade with redis-server"
	nginx     = "nginx"
	varnish   = "varnishd"
	haproxy   = "haproxy"
	zipping   = "haproxy gzip"
	reverse   = "reverse"
	origin    = "origin"

	redisServer = "redis-server"
	h2load      = "h2load"
)

var groups = []group{
	{name: "hits", title: "Hits, 64 connections", connections: 64, rows: []row{
		{"bare net/http + httprouter", bare, "plain"},
		{"calfacade", facade, "plain"},
		{"calfacade, gzip", facade, "gzip"},
		{"calfacade, 304", facade, "304"},
		{"nginx proxy_cache", nginx, "plain"},
		{"Varnish", varnish, "plain"},
		{"HAProxy cache", haproxy, "plain"},
	}},
	{name: "proxied", title: "Hits behind a proxy, 64 connections", connections: 64, rows: []row{
		{"bare net/http + httprouter", bare, "proxied"},
		{"calfacade", facade, "proxied"},
		{"nginx proxy_cache", nginx, "proxied"},
		{"Varnish", varnish, "proxied"},
		{"HAProxy cache", haproxy, "proxied"},
		{"calfacade, gzip", facade, "proxied gzip"},
		{"nginx proxy_cache, gzip", nginx, "proxied gzip"},
		{"Varnish, gzip", varnish, "proxied gzip"},
		{"HAProxy cache, gzip", zipping, "proxied gzip"},
	}},
	{name: "tls", title: "Hits with TLS 1.3, HTTP/1.1, 64 connections", connections: 64, tls: true, rows: secured("plain")},
	{name: "http2", title: "Hits with TLS 1.3, HTTP/2, 64 connections", connections: 64, tls: true, rows: secured("http2")},
	{name: "log-reads", title: "Hits with Redis configured, 64 connections", connections: 64, rows: logReads},
	{name: "log-reads-1", title: "Hits with Redis configured, 1 connection", connections: 1, rows: logReads},
	{name: "log-reads-1024", title: "Hits with Redis configured, 1,024 connections", connections: 1024, rows: logReads},
	{name: "misses", title: "Misses, 1 connection", connections: 1, rows: []row{
		{"httputil.ReverseProxy", reverse, "new"},
		{"calfacade", facade, "new"},
		{"nginx proxy_cache", nginx, "new"},
		{"Varnish", varnish, "new"},
		{"HAProxy cache", haproxy, "new"},
		{"origin, directly", origin, "new"},
	}},
	{name: "purges", title: "Writes", measure: measurePurges},
	{name: "memory", title: "Memory", measure: measureMemory, rows: []row{
		{name: "bare net/http + httprouter", server: bare},
		{name: "calfacade", server: facade},
		{name: "nginx proxy_cache", server: nginx},
		{name: "Varnish", server: varnish},
		{name: "HAProxy cache", server: haproxy},
	}},
}

// secured are rows over TLS, which Varnish does not have.
func secured(request string) []row {
	return []row{
		{"bare net/http + httprouter", bare, request},
		{"calfacade", facade, request},
		{"nginx proxy_cache", nginx, request},
		{"HAProxy cache", haproxy, request},
	}
}

// logReads measures the cost of the read of the log in Redis that each hit in memory waits for.
var logReads = []row{
	{"calfacade, without Redis", facade, "plain"},
	{"calfacade, Redis configured", withRedis, "plain"},
}
