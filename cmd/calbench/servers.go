package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lab holds the servers that are measured.
type lab struct {
	settings settings
	machine  *machine
	origin   string // URL
	opened   map[string]opened
	tags     map[string]string // calfacade's ETag, by body
	rounds   int               // run so far: numbers of new requests begin elsewhere each time
	scripts  int               // written so far
}

// opened is a server, or the reason why it did not start.
type opened struct {
	server *server
	err    error
}

// prepare builds calfacade, and starts calfacade and the origin. No row can be measured without them.
func (b *lab) prepare(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", b.machine.dir, "github.com/calfacade/calfacade/cmd/calfacade")
	key := b.machine.command(ctx, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
		"-subj", "/CN=127.0.0.1", "-keyout", keyFile, "-out", certFile)
	key.Stderr = nil
	bundle := b.machine.command(ctx, "sh", "-c", "cat "+certFile+" "+keyFile+" >"+bundleFile) // as HAProxy reads it
	for _, c := range []*exec.Cmd{build, key, bundle} {
		if out, err := c.Output(); err != nil {
			return fmt.Errorf("%s: %w: %s", c, err, out)
		}
	}
	s, err := b.server(ctx, origin, false)
	if err != nil {
		return err
	}
	b.origin = s.url
	if s, err = b.server(ctx, facade, false); err != nil {
		return err
	}
	for _, body := range []string{bodyList, bodySingle} {
		h, _, err := get(s.url + pathOf(body, facade))
		if err != nil {
			return err
		}
		b.tags[body] = h.Get("Etag")
	}
	return nil
}

// Files of a certificate with an ECDSA key (P-256, which most servers on the web have).
const (
	certFile   = "cert.pem"
	keyFile    = "key.pem"
	bundleFile = "bundle.pem"
)

// server returns a server, and starts the server at the first call.
func (b *lab) server(ctx context.Context, kind string, tls bool) (*server, error) {
	key := fmt.Sprint(kind, tls)
	o, ok := b.opened[key]
	if !ok {
		o.server, o.err = b.start(ctx, kind, tls)
		b.opened[key] = o
	}
	return o.server, o.err
}

// errMissing is the error of a server with a program that is not installed.
var errMissing = errors.New("not installed")

// start starts a server as a separate process, with the path of the certificate for a server with TLS.
func (b *lab) start(ctx context.Context, kind string, tls bool) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	program, args, err := b.command(ctx, kind, address, tls)
	if err != nil {
		return nil, err
	}
	if !installed(program) {
		return nil, fmt.Errorf("%s: %w", program, errMissing)
	}
	s, err := b.machine.start(ctx, address, program, args...)
	if err == nil && tls {
		s.url = "https" + strings.TrimPrefix(s.url, "http")
	}
	return s, err
}

// command writes the configuration of a server, starts the Redis or the other server that it needs, and returns the
// program and arguments. Nginx, Varnish and HAProxy store the origin's responses unchanged, and run as one process without logs.
func (b *lab) command(ctx context.Context, kind, address string, tls bool) (program string, args []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	base := filepath.Join(b.machine.dir, address)
	file := base + ".conf"
	text := ""
	host, port, _ := strings.Cut(strings.TrimPrefix(b.origin, "http://"), ":")
	ofTLS := func(text string) string { // of a configuration
		if !tls {
			return ""
		}
		return strings.ReplaceAll(text, "DIR", b.machine.dir)
	}
	switch kind {
	case origin, reverse:
		return self, []string{kind, address, b.origin}, nil
	case bare:
		s, err := b.server(ctx, facade, false) // the other server serves responses of calfacade
		if err != nil {
			return "", nil, err
		}
		return self, []string{kind, address, s.url, ofTLS("DIR")}, nil
	case facade, withRedis:
		redis := ""
		if kind == withRedis {
			redis, err = b.redis(ctx)
		}
		program = filepath.Join(b.machine.dir, facade)
		args = []string{"serve", "--config", file}
		text = fmt.Sprintf(facadeConf, address, b.origin, siteURL, ofTLS("tls: {cert_file: DIR/cert.pem, key_file: DIR/key.pem}"), redis)
	case nginx:
		program = kind
		args = []string{"-p", b.machine.dir, "-c", file, "-e", base + ".log"}
		text = fmt.Sprintf(nginxConf, base, host+":"+port, address, ofTLS("ssl http2; ssl_certificate DIR/cert.pem; "+
			"ssl_certificate_key DIR/key.pem; ssl_session_cache shared:s:1m"))
	case varnish:
		program = kind
		args = []string{"-F", "-j", "none", "-a", address, "-f", file, "-n", base + ".d", "-s", "malloc,256m",
			"-p", "listen_depth=4096"}
		text = fmt.Sprintf(varnishConf, host, port)
	case haproxy, zipping:
		program = haproxy
		args = []string{"-db", "-f", file}
		vary := "off"
		coding := "plain"
		if kind == zipping {
			vary = "on"
			coding = "gzip"
		}
		text = fmt.Sprintf(haproxyConf, vary, address+ofTLS(" ssl crt DIR/bundle.pem alpn h2,http/1.1"), coding, host+":"+port)
	}
	return program, args, errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
}

// redis starts a Redis.
func (b *lab) redis(ctx context.Context) (url string, err error) {
	if !installed(redisServer) {
		return "", fmt.Errorf("%s: %w", redisServer, errMissing)
	}
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(address, ":")
	_, err = b.machine.start(ctx, address, redisServer, "--bind", "127.0.0.1", "--port", port, "--dir", b.machine.dir,
		"--save", "", "--appendonly", "no", "--loglevel", "warning", "--logfile", filepath.Join(b.machine.dir, port+".log"))
	return "redis://" + address, err
}

// calfacade runs as with users, without the log of requests, which the other servers do not write either.
const facadeConf = `listen: %s
admin_listen: ""
public_url: https://calendar.example.org
trusted_proxies: [127.0.0.1/32]
languages: [{code: en, root: /wp-json, upstream: "%s/wp-json", site_aliases: ["%s"]}]
%s
cache: {redis: "%s", ttl: {events: 12h}}
limits: {max_connections: 0, max_client_connections: 0}
log: {level: error, requests: none}
`

// nginx stores the compressed and the plain response of the origin.
const nginxConf = `daemon off; master_process off; pid %[1]s.pid; error_log %[1]s.log;
events { worker_connections 16000; }
http {
  access_log off; keepalive_requests 1000000000; tcp_nopush on; sendfile on; open_file_cache max=2000;
  client_body_temp_path %[1]s-body; proxy_temp_path %[1]s-temp; fastcgi_temp_path %[1]s-fcgi;
  uwsgi_temp_path %[1]s-uwsgi; scgi_temp_path %[1]s-scgi;
  proxy_cache_path %[1]s-cache keys_zone=c:10m max_size=256m use_temp_path=off;
  upstream origin { server %[2]s; keepalive 64; }
  server {
    listen %[3]s backlog=4096 %[4]s;
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Bench-Gzip $http_accept_encoding;
      proxy_cache c; proxy_cache_key $request_uri$http_accept_encoding; proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Vary;
    }
  }
}
`

// Varnish stores a compressed body for clients that accept gzip, and a plain body for the others. With the
// compressed body alone, Varnish would decompress for each request.
const varnishConf = `vcl 4.1;
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

// HAProxy stores one kind of response, plain or gzip: one cache would serve either kind to clients that
// accept no coding. HAProxy stores only responses with a lifetime, which the origin sets if the request names
// the server. The buffer holds the list: with the default of 16 KB a list costs a fifth more.
const haproxyConf = `global
  nbthread 1
  maxconn 12000
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
