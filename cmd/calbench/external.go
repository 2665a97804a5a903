package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// nginx stores the compressed and the plain response of the origin. It runs as one
// process in the foreground, without logs.
func nginx(ctx context.Context, m *machine, origin string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	conf, err := m.file("nginx.conf", fmt.Sprintf(nginxConf, m.dir, origin, address))
	if err != nil {
		return nil, err
	}
	return m.program(ctx, address, "nginx", "-p", m.dir, "-c", conf, "-e", filepath.Join(m.dir, "nginx.log"))
}

const nginxConf = `daemon off; master_process off; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; tcp_nopush on; sendfile on; open_file_cache max=1000;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/temp; fastcgi_temp_path %[1]s/fcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  proxy_cache_path %[1]s/cache keys_zone=c:10m max_size=100m use_temp_path=off;
  upstream origin { server %[2]s; keepalive 64; }
  server {
    listen %[3]s backlog=4096;
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Bench-Gzip $http_accept_encoding;
      proxy_cache c; proxy_cache_key $request_uri$http_accept_encoding; proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Vary;
    }
  }
}
`

// varnish stores a compressed body for clients that accept gzip, and a plain body for
// the others, which it would otherwise decompress for each.
func varnish(ctx context.Context, m *machine, origin string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(origin, ":")
	vcl, err := m.file("bench.vcl", fmt.Sprintf(varnishVCL, host, port))
	if err != nil {
		return nil, err
	}
	return m.program(ctx, address, "varnishd", "-F", "-j", "none", "-a", address, "-f", vcl,
		"-n", filepath.Join(m.dir, "varnish"), "-s", "malloc,64m", "-p", "listen_depth=4096")
}

const varnishVCL = `vcl 4.1;
backend default { .host = "%s"; .port = "%s"; }
sub vcl_recv {
  if (req.http.Accept-Encoding ~ "gzip") { set req.http.X-Zip = "1"; }
  return (hash);
}
sub vcl_hash { if (req.http.X-Zip) { hash_data("zip"); } }
sub vcl_backend_response {
  set beresp.ttl = 1h;
  if (bereq.http.X-Zip) { set beresp.do_gzip = true; }
}
`

// haproxy stores one kind of response, plain or gzip: one cache would serve either of them
// to clients that accept no coding. It stores only responses with a freshness lifetime. The
// calls name the server, for which the origin sets a lifetime and compresses; hits cost
// nothing more.
func haproxy(ctx context.Context, m *machine, origin, kind string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	vary := map[string]string{"plain": "off", "gzip": "on"}[kind]
	conf, err := m.file("haproxy-"+kind+".cfg", fmt.Sprintf(haproxyConf, vary, address, kind, origin))
	if err != nil {
		return nil, err
	}
	return m.program(ctx, address, "haproxy", "-db", "-f", conf)
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
  total-max-size 64
  max-object-size 131072
  max-age 3600
  process-vary %[1]s
listen bench
  bind %[2]s
  http-request cache-use c
  http-response cache-store c
  http-send-name-header X-Bench-Haproxy
  server %[3]s %[4]s
`

func redisServer(ctx context.Context, m *machine) (string, error) {
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(address, ":")
	_, err = m.program(ctx, address, "redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", m.dir,
		"--save", "", "--appendonly", "no", "--loglevel", "warning", "--logfile", filepath.Join(m.dir, "redis.log"))
	return "redis://" + address, err
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
