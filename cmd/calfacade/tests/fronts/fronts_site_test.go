//go:build !race

package fronts_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// siteHost is the host of the site in the shipped files.
const siteHost = "www.example.org"

// visitor is the address of the test's client, which differs from the addresses of all proxies.
const visitor = "127.0.0.9"

// hostedSite is a stand-in for WordPress behind a proxy. It marks its responses.
type hostedSite struct {
	sim http.Handler

	mu    sync.Mutex
	calls []http.Header // of requests of calfacade
}

func newHostedSite(t *testing.T) (s *hostedSite, address string) {
	s = &hostedSite{sim: sim.New(sim.Options{Site: "https://" + siteHost, Setup: sim.Setup{Host: siteHost}})}
	return s, strings.TrimPrefix(processtest.Serve(t, s), "http://")
}

func (s *hostedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if strings.Contains(r.URL.Path, "/tribe/") {
		s.calls = append(s.calls, r.Header.Clone())
	}
	s.mu.Unlock()
	w.Header().Set("X-Wordpress", r.Host)
	if r.URL.Path == "/old" {
		w.Header().Set("Location", "https://"+r.Host+"/new/")
		w.WriteHeader(http.StatusFound)
		return
	}
	s.sim.ServeHTTP(w, r)
}

// called returns whether a call of calfacade has a field with such a value.
func (s *hostedSite) called(name, value string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.calls {
		if strings.Contains(h.Get(name), value) {
			return true
		}
	}
	return false
}

// facade starts an instance with the shipped configuration.
func (f *siteFront) facade(n int, config ...string) processtest.Serving {
	f.Helper()
	f.write("config.yaml", f.shipped.Replace(processtest.ReadFile(f.T, processtest.Repository+"/docs/deploy/own-host/config.yaml")))
	endpoints := f.instances[n]
	cmd := exec.Command(processtest.Build(f.T), "serve", "--config", f.dir+"/config.yaml")
	cmd.Env = append([]string{"HOME=" + f.dir, "CALFACADE_LISTEN=" + endpoints.public, "CALFACADE_ADMIN_LISTEN=" + endpoints.admin,
		"CALFACADE_LOG_CLIENT=full",
		"CALFACADE_UPSTREAM_CA_FILE=" + f.ca}, config...)
	p := processtest.StartCommand(f.T, cmd)
	p.Expect(`"msg":"serving"`)
	return processtest.Serving{
		Program: p,
		Base:    "https://" + siteHost + "/wp-json/calendar/events/v1",
		Admin:   "http://" + endpoints.admin,
	}
}

// client returns a client of the site, from an address.
func (f *siteFront) client(address string) *http.Transport {
	f.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: f.roots()}, ForceAttemptHTTP2: true, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if portOf(address) == "443" {
				return dialer.DialContext(ctx, network, f.www)
			}
			return dialer.DialContext(ctx, network, f.plain)
		},
	}
	f.Cleanup(transport.CloseIdleConnections)
	return transport
}

// roots is the CA of the proxy's certificate.
func (f *siteFront) roots() *x509.CertPool {
	f.Helper()
	pem, err := os.ReadFile(f.ca)
	if err != nil {
		f.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		f.Fatalf("no certificate in %s", pem)
	}
	return pool
}

// ask sends a request to the site; fields are names and values.
func (f *siteFront) ask(c http.RoundTripper, method, target, body string, fields ...string) (*http.Response, string) {
	f.Helper()
	if strings.HasPrefix(target, "/") {
		target = "https://" + siteHost + target
	}
	r, err := http.NewRequestWithContext(f.Context(), method, target, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	res, err := c.RoundTrip(r)
	if err != nil {
		f.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		f.Fatal(err)
	}
	return res, string(got)
}
