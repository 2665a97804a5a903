package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/onward"
)

// TestReach: a target is reachable if it accepts a connection, with a certificate that is valid for
// it, and gets no request.
func TestReach(t *testing.T) {
	t.Parallel()
	refuse := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s", r.Method, r.URL) })
	plain, encrypted := httptest.NewServer(refuse), httptest.NewTLSServer(refuse)
	defer plain.Close()
	defer encrypted.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // for one test
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	const secret = "a-secret-of-the-target"
	targets := []onward.Target{
		{Name: "varnish", Kind: onward.Varnish, URL: plain.URL + "/below"},
		{Name: "cloudflare", Kind: onward.Cloudflare, URL: encrypted.URL, Token: secret},
		{Name: "pages", Kind: onward.Webhook, URL: "http://127.0.0.1:1/" + secret, Secret: secret},
		{Name: "silent", Kind: onward.Fastly, URL: "https://" + silent.Addr().String(), Timeout: 50 * time.Millisecond},
	}
	for i, want := range []string{"", "not reachable: tls: failed to verify certificate: x509: ",
		"not reachable: dial tcp 127.0.0.1:1: ", "not reachable: "} {
		got := reach(t.Context(), targets[i])
		problems := strings.Join(got.Problems, "\n")
		if got.Name != targets[i].Name || got.Kind != targets[i].Kind || (problems == "") != (want == "") ||
			!strings.HasPrefix(problems, want) || (want == "") != (got.Connect > 0) {
			t.Errorf("%s: %+v, want %q", targets[i].Name, got, want)
		}
		if !strings.Contains(targets[i].URL, got.Host) || strings.Contains(problems, secret) {
			t.Errorf("%s: host %s, %s", got.Name, got.Host, problems)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if got := reach(canceled, onward.Target{Kind: onward.Fastly}); got.Host != "api.fastly.com:443" {
		t.Errorf("%+v", got)
	}
}
