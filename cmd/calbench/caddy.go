package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// caddy needs the module cache-handler, which few packages of Caddy have: xcaddy build
// --with github.com/caddyserver/cache-handler. It stores responses in its own memory.
func caddy(ctx context.Context, m *machine, origin string, tls files) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	site := "http://" + address
	certificate := ""
	if tls.cert != "" {
		site, certificate = "https://"+address, "tls "+tls.cert+" "+tls.key
	}
	conf, err := m.file("Caddyfile-"+strings.TrimPrefix(address, "127.0.0.1:"), fmt.Sprintf(caddyfile, site, certificate, origin))
	if err != nil {
		return nil, err
	}
	s, err := m.program(ctx, address, caddyProgram, "run", "--adapter", "caddyfile", "--config", conf)
	return s.secured(tls), err
}

const caddyProgram = "caddy"

const caddyfile = `{
  admin off
  auto_https off
  persist_config off
  order cache before rewrite
  log {
    level ERROR
  }
  cache {
    ttl 1h
  }
}
%s {
  %s
  cache
  reverse_proxy %s {
    header_up X-Bench-Store plain
  }
}
`

// hasCacheHandler reports whether the installed Caddy stores responses.
func hasCacheHandler(ctx context.Context) bool {
	modules, err := exec.CommandContext(ctx, caddyProgram, "list-modules").Output()
	return err == nil && strings.Contains(string(modules), "http.handlers.cache\n")
}
