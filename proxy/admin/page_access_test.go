package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestSecretsLimitEachPlace: wrong secrets at a place count towards its limit of
// the address. Above it the right secret is refused too, for six seconds.
func TestSecretsLimitEachPlace(t *testing.T) {
	const testerToken = "the token of testers"
	o := newOperator(t)
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	o.options.Client = edge.Trust{Proxies: trusted}.Client
	o.facade = o.newFacade(proxy.Options{Secrets: o.options.Secrets.(*edge.Secrets),
		Edge:     edge.Options{Trust: edge.Trust{Proxies: trusted}},
		Backends: []proxy.BackendOptions{{Name: "new", Dialect: mapping.API{Dialect: mapping.Neutral}}},
		Staging:  &proxy.StagingOptions{Candidate: "new", Matrix: staging.NewMatrix(time.Now, nil), TesterToken: testerToken}})
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	admin := func(path string) func(client, token string) *httptest.ResponseRecorder {
		return func(client, token string) *httptest.ResponseRecorder {
			o.remote = client
			return o.request(path, url.Values{}, bearer(token))
		}
	}
	places := map[string]func(client, token string) *httptest.ResponseRecorder{
		"purge": admin("/purge"), "stage": admin("/staging"), "pprof": admin("/debug/pprof/cmdline"),
		"sign-in": func(client, token string) *httptest.ResponseRecorder {
			o.remote = client
			return o.request("/status/sign-in", url.Values{"token": {token}})
		},
		"tester": func(client, token string) *httptest.ResponseRecorder {
			if token == adminToken {
				token = testerToken
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/en/wp-json/calendar/events/v1/events/5", nil)
			r.RemoteAddr = client
			r.Header.Set("X-Calfacade-Tester", token)
			w := httptest.NewRecorder()
			o.facade.ServeHTTP(w, r)
			return w
		},
	}
	n := 0
	for name := range places {
		n++
		o.now = o.now.Add(time.Hour)
		address := fmt.Sprintf("[2001:db8:0:%d::1]:4000", n)
		for n := range 10 {
			if w := places[name](address, "wrong"); w.Code == http.StatusTooManyRequests {
				t.Fatalf("attempt %d: 429", n)
			}
		}
		if place := "purge"; name != place {
			if w := places[place](address, adminToken); w.Code == http.StatusTooManyRequests {
				t.Errorf("%s locks %s", name, place)
			}
		}
		o.now = o.now.Add(4 * time.Second)
		blocked := places[name](strings.Replace(address, "::1]", "::2]", 1), adminToken)
		if blocked.Code != http.StatusTooManyRequests || blocked.Header().Get("Retry-After") != "2" {
			t.Errorf("%s: %d %v, want 429", name, blocked.Code, blocked.Header())
		}
		if w := places[name]("192.0.2.9:1", adminToken); w.Code == http.StatusTooManyRequests {
			t.Errorf("%s: another address: %d", name, w.Code)
		}
		o.now = o.now.Add(2 * time.Second)
		if w := places[name](address, adminToken); w.Code == http.StatusTooManyRequests || w.Code == http.StatusUnauthorized ||
			w.Code == http.StatusForbidden {
			t.Errorf("%s: six seconds after the last guess: %d", name, w.Code)
		}
	}
	if text := o.log.String(); !strings.Contains(text, "wrong secret") || strings.Contains(text, testerToken) ||
		strings.Count(text, "wrong secret") > 3*len(places) {
		t.Errorf("the log: %s", text)
	}
}

// TestForeignHost: without a token the page is not served to a web page whose host name resolves
// to this machine.
func TestForeignHost(t *testing.T) {
	o := newOperator(t)
	o.options.Hosts = []string{"metrics.example.org"}
	for host, want := range map[string]int{
		"": 200, "localhost": 200, "LOCALHOST:9090": 200, "127.0.0.1:9090": 200, "10.1.2.3:9090": 200, "[::1]:9090": 200, "[fd00::1]": 200,
		"metrics.example.org:9090": 200, "Metrics.Example.org.": 200,
		"evil.example": 403, "evil.example:9090": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403,
		"x.metrics.example.org": 403,
	} {
		o.host = host
		for _, path := range []string{"/metrics", "/livez", "/readyz"} {
			if w := o.request(path, nil); w.Code != want {
				t.Errorf("%s at %q: %d, want %d", path, host, w.Code, want)
			}
		}
	}
	o.options.Token = ""
	for host, want := range map[string]int{"localhost:9090": 200, "metrics.example.org": 200, "evil.example": 403} {
		o.host = host
		for _, path := range []string{"/status/", "/metrics"} {
			if w := o.request(path, nil); w.Code != want {
				t.Errorf("without a token, %s at %q: %d, want %d", path, host, w.Code, want)
			}
		}
	}
}
