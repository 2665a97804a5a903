package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

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
		"-n", filepath.Join(m.dir, "varnish"), "-s", "malloc,256m", "-p", "listen_depth=4096")
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
