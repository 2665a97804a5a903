package caching_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/google/go-cmp/cmp"
)

// TestIfNoneMatch: lists are of entity tags, which may hold commas (RFC 9110, 8.8.3).
func TestIfNoneMatch(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	res, _ := f.Send("GET /events/5")
	tag := res.Header.Get("Etag")
	for header, want := range map[string]int{
		tag: 304, "W/" + tag: 304, `"a,b", ` + tag: 304, `"a\",` + tag: 304, ",, " + tag + " ,": 304, "*": 304, " * ": 304,
		`"a",W/"b",` + tag:                   304,
		`"x,` + strings.Trim(tag, `"`) + `"`: 200, "W/*": 200, `"*"`: 200, `"a", *`: 200, "w/" + tag: 200,
		strings.Trim(tag, `"`): 200, `"`: 200, tag + "x": 200, "": 200, `"x, *, y"`: 200,
	} {
		for _, line := range []string{"GET /events/5", "HEAD /events/5"} {
			if res, _ := f.Send(line, "If-None-Match: "+header); res.StatusCode != want {
				t.Errorf("%s, If-None-Match: %s: %d, want %d", line, header, res.StatusCode, want)
			}
		}
	}
}

// TestAcceptEncoding: a coding that is named counts before *, and a weight of nothing
// refuses (RFC 9110, 12.5.3).
func TestAcceptEncoding(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	for header, want := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip", "*": "gzip", "br, *;q=0.1": "gzip", "gzip;q=0.001": "gzip",
		"gzip ; Q=1.0": "gzip", "*;q=0, gzip": "gzip", "br;q=1, gzip;q=0.5": "gzip",
		"": "", "identity": "", "gzip;q=0": "", "gzip;Q=0": "", "gzip; q=0.000": "", "gzip ;Q=0.": "", "*, gzip;q=0": "",
		"*;q=0": "", "br, *;Q=0": "", "gzip;q=0, *": "", "gzip;q=x": "",
	} {
		if res, _ := f.Send("GET /events/5", "Accept-Encoding: "+header); res.Header.Get("Content-Encoding") != want {
			t.Errorf("%q: got %q, want %q", header, res.Header.Get("Content-Encoding"), want)
		}
	}
}

// TestNotModifiedVaries as what it stands for does, and all that the facade answers has the
// fields that all answers have.
func TestNotModifiedVaries(t *testing.T) {
	for _, origins := range [][]string{nil, {"*"}, {"https://www.example.org"}} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
			o.Docs = true
			o.Edge.HSTS = time.Hour
			o.Edge.CORS.Origins = origins
		})
		for _, path := range []string{"/events/5", "/doc", "/docs"} {
			res := f.Knowing(path, "")
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s", path, res.Status)
			}
			if got := strings.Contains(strings.Join(res.Header["Vary"], ","), "Origin"); got != (origins != nil && origins[0] != "*") {
				t.Errorf("%s, origins %v: Vary %q", path, origins, res.Header["Vary"])
			}
			revalidated := f.Knowing(path, res.Header.Get("Etag"))
			if revalidated.StatusCode != http.StatusNotModified {
				t.Errorf("%s: %s", path, revalidated.Status)
			}
			for _, name := range []string{"Vary", "Strict-Transport-Security"} {
				if diff := cmp.Diff(res.Header[name], revalidated.Header[name]); diff != "" {
					t.Errorf("%s, origins %v: %s (-200 +304):\n%s", path, origins, name, diff)
				}
			}
			if res.Header.Get("Strict-Transport-Security") == "" {
				t.Errorf("%s has no Strict-Transport-Security", path)
			}
		}
	}
}

// TestOriginTwice: no page is allowed by one of two fields.
func TestOriginTwice(t *testing.T) {
	const ours, foreign = "https://www.example.org", "https://evil.example"
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Edge.CORS = edge.CORS{Origins: []string{ours}, Credentials: true}
	})
	for _, origins := range [][]string{{ours, foreign}, {foreign, ours}, {ours, ours}, {"", ours}} {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			r := facadetest.Request(t, method, f.URL+"/wp-json/calendar/events/v1/events/5", "")
			r.Header["Origin"] = origins
			if method == http.MethodOptions {
				r.Header.Set("Access-Control-Request-Method", "GET")
			}
			res, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			for name := range res.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s, Origin %q: %s %q", method, origins, name, res.Header[name])
				}
			}
		}
	}
}

// TestOriginLabels: * stands for whole labels.
func TestOriginLabels(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Edge.CORS.Origins = []string{"https://*.example.org", "https://*.example.net:8443", "http://localhost:3000"}
	})
	for origin, want := range map[string]bool{
		"https://a.example.org": true, "https://a.b-c.example.org": true, "https://xn--bcher-kva.example.org": true,
		"HTTPS://A.Example.Org":      true,
		"https://a.example.net:8443": true, "http://localhost:3000": true,
		"https://.example.org": false, "https://a..example.org": false, "https://.a.example.org": false,
		"https://example.org": false, "https://evilexample.org": false,
		"https://evil.example/.example.org": false, "https://evil.example#.example.org": false,
		"https://evil.example?.example.org": false, "https://evil.example:443.example.org": false,
		"https://u@a.example.org": false, "https://a.example.org:8443": false, "https://a.example.net": false,
		"http://a.example.org": false, "https://a b.example.org": false,
		"null": false, "http://localhost:30000": false,
	} {
		res, _ := f.Send("GET /events/5", "Origin: "+origin)
		if got := res.Header.Get("Access-Control-Allow-Origin"); (got == origin) != want || !want && got != "" {
			t.Errorf("%s: %q, want %t", origin, got, want)
		}
	}
}
