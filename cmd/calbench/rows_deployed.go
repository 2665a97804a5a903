package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// deployed are the groups of what users deploy: behind a proxy, with TLS, and with misses
// between the hits.
var deployed = slices.Concat(
	atConnections(group{name: "proxied", title: "Behind a proxy", rows: proxiedRows, targets: []row{
		// sendfile copies no body for nginx, which is most of a plain list.
		{name: "lane", base: "nginx proxy_cache", by: byCPU, limit: map[string]float64{bodyList: 1.1, bodySingle: 0.8}},
		{name: "lane", base: "nginx proxy_cache", by: byP99, limit: both(1.5)},
		{name: "lane, gzip", base: "nginx proxy_cache, gzip", by: byCPU, limit: map[string]float64{bodyList: 0.9, bodySingle: 0.8}},
		{name: "lane, gzip", base: "nginx proxy_cache, gzip", by: byP99, limit: both(1.5)},
	}}),
	atConnections(group{name: "tls", title: "TLS 1.3, HTTP/1.1", rows: tlsRows("plain", 0), minimum: pastHandshakes, targets: []row{
		{name: "facade", base: "nginx proxy_cache", by: byCPU, limit: both(1)},
		{name: "facade", base: "nginx proxy_cache", by: byP99, limit: both(1.5)},
	}}),
	atConnections(group{name: "http2", title: "TLS 1.3, HTTP/2", rows: tlsRows("http2", 1.1), minimum: pastHandshakes}),
	atConnections(group{name: "mix-90", title: "90 % hits, a site that takes 40 ms", rows: mixRows("mix90"), misses: 0.1, delay: siteTime}),
	atConnections(group{name: "mix-99", title: "99 % hits, a site that takes 40 ms", rows: mixRows("mix99"), misses: 0.01, delay: siteTime, targets: []row{
		{name: "lane", base: "nginx proxy_cache", by: byP99, limit: both(1.5)},
	}}),
)

// siteTime is what a quick WordPress takes for a list.
const siteTime = 40 * time.Millisecond

// proxiedRows are hits as ingress-nginx and Envoy request them, plain and, as browsers accept
// it, with gzip.
var proxiedRows = []row{
	{name: bareFields, server: "bare-fields", request: "proxied", by: byCPU},
	{name: "facade", server: "facade-behind", request: "proxied", base: bareFields, by: byCPU},
	{name: "lane", server: "facade-lane-behind", request: "proxied", base: bareFields, by: byCPU},
	{name: "lane, without package socket", server: "facade-lane-plain", request: "proxied", base: "lane", by: byCPU},
	{name: goSockets, server: "sockets", request: "proxied", base: bareFields, by: byCPU},
	{name: "nginx proxy_cache", server: "nginx", request: "proxied", base: bareFields, by: byCPU},
	{name: "Varnish", server: "varnish", request: "proxied", base: bareFields, by: byCPU},
	{name: "HAProxy cache", server: "haproxy", request: "proxied", base: bareFields, by: byCPU},
	{name: "lane, gzip", server: "facade-lane-behind", request: "proxied gzip", base: bareFields, by: byCPU},
	{name: goSockets + ", gzip", server: "sockets", request: "proxied gzip", base: bareFields, by: byCPU},
	{name: "nginx proxy_cache, gzip", server: "nginx", request: "proxied gzip", base: bareFields, by: byCPU},
	{name: "Varnish, gzip", server: "varnish", request: "proxied gzip", base: bareFields, by: byCPU},
	{name: "HAProxy cache, gzip", server: "haproxy-gzip", request: "proxied gzip", base: bareFields, by: byCPU},
	// Last: after its row the p99 of the next one is twice what it is without it.
	{name: "Caddy with cache-handler", server: "caddy", request: "proxied", base: bareFields, by: byCPU},
}

const (
	bareFields = "bare net/http + httprouter, timeouts and fields"
	goSockets  = "sockets in Go" // see serveSockets
)

// tlsRows are hits over TLS. limit is the target of the facade; 0 for none.
func tlsRows(request string, limit float64) []row {
	rows := []row{
		{name: bareFields, server: "bare-tls", request: request, by: byCPU},
		{name: "facade", server: "facade-tls", request: request, base: bareFields, by: byCPU},
		{name: "nginx proxy_cache", server: "nginx-tls", request: request, base: bareFields, by: byCPU},
		{name: "HAProxy cache", server: "haproxy-tls", request: request, base: bareFields, by: byCPU},
		{name: "Caddy with cache-handler", server: "caddy-tls", request: request, base: bareFields, by: byCPU},
	}
	if limit > 0 {
		rows[1].limit = both(limit)
	}
	return rows
}

// mixRows are hits and misses. Caddy is missing: it takes some milliseconds for a hit.
func mixRows(request string) []row {
	const nginx = "nginx proxy_cache"
	return []row{
		{name: nginx, server: "nginx", request: request, by: byCPU},
		{name: "facade", server: "facade-behind", request: request, base: nginx, by: byCPU},
		{name: "lane", server: "facade-lane-behind", request: request, base: nginx, by: byCPU},
		{name: "Varnish", server: "varnish", request: request, base: nginx, by: byCPU},
		{name: "HAProxy cache", server: "haproxy", request: request, base: nginx, by: byCPU},
	}
}

// pastHandshakes is the time of a row of which the handshakes of TLS are a small part. Those of
// 1,024 connections take more than a second, in which Caddy with cache-handler has no response.
// Those of 64 delay the first requests by some 10 ms, which is the p99 of a row of one second.
const pastHandshakes = 4 * time.Second

// atConnections returns the group with 64 connections, and with 1 and 1,024 without its
// targets.
func atConnections(g group) []group {
	groups := []group{g, g, g}
	for i, n := range []int{64, 1, 1024} {
		at := &groups[i]
		at.connections = n
		switch n {
		case 1:
			at.minimum = 0
		case 1024:
			at.minimum = pastHandshakes
			at.rows = slices.DeleteFunc(slices.Clone(at.rows), func(r row) bool { return strings.HasPrefix(r.server, "caddy") })
		}
		if i > 0 {
			at.name = fmt.Sprintf("%s-%d", g.name, n)
			at.rows, at.targets = figures(at.rows, g.rows[0].request), nil
		}
		at.title = g.title + map[int]string{64: ", 64 connections", 1: ", 1 connection", 1024: ", 1,024 connections"}[n]
	}
	return groups
}
