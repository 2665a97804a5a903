package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// nginx stores the compressed and the plain response of the origin. It runs as one
// process in the foreground, without logs.
func nginx(ctx context.Context, m *machine, name, origin string, tls files) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	listen := address + " backlog=4096"
	if tls.cert != "" {
		listen = fmt.Sprintf("%s ssl http2; ssl_certificate %s; ssl_certificate_key %s; ssl_session_cache shared:s:1m", listen, tls.cert, tls.key)
	}
	conf, err := m.file(name+".conf", fmt.Sprintf(nginxConf, filepath.Join(m.dir, name), origin, listen))
	if err != nil {
		return nil, err
	}
	s, err := m.program(ctx, address, "nginx", "-p", m.dir, "-c", conf, "-e", filepath.Join(m.dir, name+".log"))
	return s.secured(tls), err
}

// secured makes the URL one of TLS if there is a certificate.
func (s *server) secured(tls files) *server {
	if s != nil && tls.cert != "" {
		s.url = "https" + strings.TrimPrefix(s.url, "http")
	}
	return s
}

const nginxConf = `daemon off; master_process off; pid %[1]s.pid; error_log %[1]s.log;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; tcp_nopush on; sendfile on; open_file_cache max=2000;
  client_body_temp_path %[1]s-body; proxy_temp_path %[1]s-temp; fastcgi_temp_path %[1]s-fcgi;
  uwsgi_temp_path %[1]s-uwsgi; scgi_temp_path %[1]s-scgi;
  proxy_cache_path %[1]s-cache keys_zone=c:10m max_size=256m use_temp_path=off;
  upstream origin { server %[2]s; keepalive 64; }
  server {
    listen %[3]s;
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Bench-Gzip $http_accept_encoding;
      proxy_cache c; proxy_cache_key $request_uri$http_accept_encoding; proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Expires Vary;
    }
  }
}
`
