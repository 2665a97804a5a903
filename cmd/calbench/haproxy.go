package main

import (
	"context"
	"fmt"
	"strings"
)

// haproxy stores one kind of response, plain or gzip: one cache would serve either of them
// to clients that accept no coding. It stores only responses with a freshness lifetime. The
// calls name the server, for which the origin sets a lifetime and compresses; hits cost
// nothing more.
func haproxy(ctx context.Context, m *machine, origin, kind string, tls files) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	vary, bind := map[string]string{"plain": "off", "gzip": "on"}[kind], address
	if tls.bundle != "" {
		bind += " ssl crt " + tls.bundle + " alpn h2,http/1.1"
	}
	conf, err := m.file("haproxy-"+strings.TrimPrefix(address, "127.0.0.1:")+".cfg", fmt.Sprintf(haproxyConf, vary, bind, kind, origin))
	if err != nil {
		return nil, err
	}
	s, err := m.program(ctx, address, "haproxy", "-db", "-f", conf)
	return s.secured(tls), err
}

// The buffer holds the list: with the default of 16 KB it costs a fifth more.
const haproxyConf = `global
  nbthread 1
  maxconn 4096
  no strict-limits
  tune.bufsize 65536
defaults
  mode http
  timeout connect 5s
  timeout client 1m
  timeout server 1m
cache c
  total-max-size 256
  max-object-size 131072
  max-age 3600
  process-vary %[1]s
listen bench
  bind %[2]s
  http-request cache-use c
  http-response cache-store c
  http-send-name-header X-Bench-Store
  server %[3]s %[4]s
`
