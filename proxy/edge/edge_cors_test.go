package edge_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// TestCORS sends requests with and without an Origin: for cached responses, a 304, an error
// and uncached responses. Clients must not get the fields for another client.
func TestCORS(t *testing.T) {
	const ours, foreign = "https://www.example.org", "https://evil.example"
	const wildcard, mine, login = "*", ours, ours + " true"
	for _, test := range []struct {
		name   string
		cors   edge.CORS
		origin map[string]string // Origin -> Access-Control-Allow-Origin and -Credentials
		vary   string            // of an answer out of the cache
	}{
		{"off", edge.CORS{}, map[string]string{"": "", ours: "", foreign: "", "null": ""}, "Accept-Encoding, Authorization"},
		{"any", edge.CORS{Origins: []string{"*"}}, map[string]string{"": wildcard, ours: wildcard, foreign: wildcard, "null": wildcard},
			"Accept-Encoding, Authorization"},
		{"any with credentials", edge.CORS{Origins: []string{"*"}, Credentials: true}, map[string]string{ours: wildcard, foreign: wildcard},
			"Accept-Encoding, Authorization"},
		{"any among others", edge.CORS{Origins: []string{ours, "*"}, Credentials: true}, map[string]string{ours: wildcard, foreign: wildcard},
			"Accept-Encoding, Authorization"},
		{"one", edge.CORS{Origins: []string{ours}}, map[string]string{"": "", ours: mine, foreign: "", "null": "",
			ours + ".evil.example": "", "http://www.example.org": "", ours + ":8443": ""}, "Accept-Encoding, Authorization, Origin"},
		{"one with credentials", edge.CORS{Origins: []string{ours}, Credentials: true},
			map[string]string{"": "", ours: login, foreign: ""}, "Accept-Encoding, Authorization, Origin"},
		{"wildcard", edge.CORS{Origins: []string{"https://*.example.org"}},
			map[string]string{ours: mine, foreign: "", "https://example.org": ""}, "Accept-Encoding, Authorization, Origin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Edge.CORS = test.cors })
			plain, _ := f.Send("GET /events/5")
			for origin, want := range test.origin {
				for line, header := range map[string]string{
					"GET /events/5":  "",
					"HEAD /events/5": "",
					"GET /events/6":  "Authorization: Basic dTpw",
					"GET /events/x":  "",
					"GET /events/05": "If-None-Match: " + plain.Header.Get("Etag"),
				} {
					res, _ := f.Send(line, headerLines(header, origin)...)
					got := strings.TrimSpace(res.Header.Get("Access-Control-Allow-Origin") + " " +
						res.Header.Get("Access-Control-Allow-Credentials"))
					if got != want {
						t.Errorf("%s %s, Origin %q: %q, want %q", line, header, origin, got, want)
					}
					exposed := strings.Contains(res.Header.Get("Access-Control-Expose-Headers"), "X-Request-Id")
					if exposed != (want != "") {
						t.Errorf("%s, Origin %q: exposed %q", line, origin, res.Header.Get("Access-Control-Expose-Headers"))
					}
					if got := strings.Contains(res.Header.Get("Vary"), "Origin"); got != strings.HasSuffix(test.vary, "Origin") {
						t.Errorf("%s, Origin %q: Vary %q", line, origin, res.Header["Vary"])
					}
				}
			}
			res, _ := f.Send("GET /events/5")
			if diff := cmp.Diff([]string{test.vary}, res.Header["Vary"]); diff != "" {
				t.Errorf("Vary (-want +got):\n%s", diff)
			}
		})
	}
}

// headerLines leaves empty values out.
func headerLines(header, origin string) []string {
	var lines []string
	if header != "" {
		lines = append(lines, header)
	}
	if origin != "" {
		lines = append(lines, "Origin: "+origin)
	}
	return lines
}

func TestPreflight(t *testing.T) {
	const preflighted = "baggage,cache-control,sentry-trace,traceparent,tracestate,x-calfacade-tester," +
		"x-http-method-override,x-request-id,x-requested-with,x-shop"
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Edge = edge.Options{
			CORS: edge.CORS{Origins: []string{"https://www.example.org", "capacitor://localhost"}, Headers: []string{"X-Shop"},
				Credentials: true, MaxAge: 10 * time.Minute},
			Reads: edge.Quota{Requests: 1, Window: time.Hour}, // a preflight is no request of the client's own
		}
	})
	for _, test := range []struct{ origin, method, fields, want string }{
		{"https://www.example.org", "GET", "", "204 https://www.example.org GET  true 600"},
		{"https://www.example.org", "DELETE", "authorization,content-type,x-wp-nonce",
			"204 https://www.example.org DELETE authorization,content-type,x-wp-nonce true 600"},
		{"https://www.example.org", "PURGE", "", "204     "},
		{"https://www.example.org", "GET", "x-shop-2", "204     "},
		{"https://www.example.org", "GET", preflighted, "204 https://www.example.org GET " + preflighted + " true 600"},
		{"capacitor://localhost", "GET", "", "204 capacitor://localhost GET  true 600"},
		{"https://evil.example", "GET", "", "204     "},
	} {
		header := []string{"Origin: " + test.origin, "Access-Control-Request-Method: " + test.method}
		if test.fields != "" {
			header = append(header, "Access-Control-Request-Headers: "+test.fields)
		}
		res, _ := f.Send("OPTIONS /events/5", header...)
		h := res.Header.Get
		got := fmt.Sprint(res.StatusCode, " ", h("Access-Control-Allow-Origin"), " ", h("Access-Control-Allow-Methods"), " ",
			h("Access-Control-Allow-Headers"), " ", h("Access-Control-Allow-Credentials"), " ", h("Access-Control-Max-Age"))
		if got != test.want || !strings.Contains(h("Vary"), "Origin") {
			t.Errorf("%+v: got %q, Vary %q", test, got, h("Vary"))
		}
	}
	if n := f.Calls.Load(); n != 0 {
		t.Errorf("the legacy was called %d times", n)
	}
	res, _ := f.Send("GET /events/5", "Origin: https://www.example.org")
	if got := res.Header.Get("Access-Control-Expose-Headers"); res.StatusCode != http.StatusOK ||
		!strings.Contains(got, "Ratelimit-Policy") {
		t.Errorf("%d, exposed %s", res.StatusCode, got)
	}
}

// TestSecurityFields: of answers from the cache, past it and from the table.
func TestSecurityFields(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(*proxy.Options) {})
	for _, line := range []string{"GET /events/5", "GET /events/5", "GET /events/x", "GET /doc", "GET /nope"} {
		res, _ := f.Send(line)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Server": "", "X-Powered-By": "", "Strict-Transport-Security": "", // without a certificate
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", line, name, got, want)
			}
		}
	}
}
