package freshness_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/docs"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/google/go-cmp/cmp"
)

// ownResponses are requests with a response that the facade makes by itself, and Cache-Control
// without the section edge and with it.
var ownResponses = []struct{ request, withoutEdge, withEdge string }{
	{"200 GET ", "no-cache", "no-cache"},
	{"200 HEAD ", "no-cache", "no-cache"},
	{"200 GET /doc", "max-age=300", "no-cache"},
	{"200 GET /docs/", "no-cache", "no-cache"},
	{"200 GET /docs/" + docs.ClientFile, "max-age=300", "no-cache"},
	{"200 GET START", "no-cache", "no-cache"},
	{"200 GET START text/html", "no-cache", "no-cache"},
	{"200 OPTIONS /events", "no-store", "no-store"},
	{"200 OPTIONS ", "no-store", "no-store"},
	{"404 GET /nothing", "no-store", "no-store"},
	{"404 HEAD /nothing", "no-store", "no-store"},
	{"404 GET /docs/0/page.js", "no-store", "no-store"},
	{"404 GET ?namespace=wp/v2", "no-store", "no-store"},
	{"405 DELETE /events", "no-store", "no-store"},
	{"400 GET /events?page=x", "no-store", "no-store"},
	{"414 GET /events?search=" + strings.Repeat("x", 9<<10), "no-store", "no-store"},
	{"503 GET /events/5", "no-store", "no-store"},
	{"503 DELETE /events/5", "no-store", "no-store"},
}

// TestOwnResponsesOutside: no cache in front serves a response again that no purge reaches, whichever field it
// reads and whatever it stores by default.
func TestOwnResponsesOutside(t *testing.T) {
	t.Parallel()
	for _, o := range []freshness.Surrogate{
		{}, {Tags: "xkey"}, {Lifetime: freshness.AccelExpires},
		{Tags: freshness.CacheTag, Lifetime: freshness.CDNCacheControl},
		{Tags: "surrogate-key", Lifetime: freshness.SurrogateControl},
	} {
		f := ownFacade(t, o, edge.Options{ReadOnly: true})
		for _, test := range ownResponses {
			want := map[string]string{"Cache-Control": test.withoutEdge}
			if o.Active() {
				want["Cache-Control"] = test.withEdge
			}
			if o.Lifetime == freshness.CDNCacheControl || o.Lifetime == freshness.SurrogateControl {
				want[http.CanonicalHeaderKey(o.Lifetime)] = "max-age=0, no-store"
			}
			status, h := ownResponse(t, f, test.request)
			if diff := cmp.Diff(want, forCaches(h)); diff != "" || status != test.request[:3] {
				t.Errorf("%+v: %.40s: %s (-want +got):\n%s", o, test.request, status, diff)
			}
		}
	}
}

// TestRefusalsOutside: nor are refusals of limits stored.
func TestRefusalsOutside(t *testing.T) {
	t.Parallel()
	o := freshness.Surrogate{Lifetime: freshness.CDNCacheControl}
	f := ownFacade(t, o, edge.Options{Reads: edge.Quota{Requests: 1, Window: time.Hour}})
	want := map[string]string{"Cache-Control": "no-store", "Cdn-Cache-Control": "max-age=0, no-store"}
	for _, request := range []string{"200 OPTIONS /events", "429 GET /events", "429 OPTIONS /events", "429 GET "} {
		status, h := ownResponse(t, f, request)
		if diff := cmp.Diff(want, forCaches(h)); diff != "" || status != request[:3] {
			t.Errorf("%s: %s (-want +got):\n%s", request, status, diff)
		}
	}
}

// TestOwnNotModifiedOutside: a 304 updates what a cache stored with the same fields.
func TestOwnNotModifiedOutside(t *testing.T) {
	t.Parallel()
	f := ownFacade(t, freshness.Surrogate{Lifetime: freshness.SurrogateControl}, edge.Options{})
	for _, request := range []string{"GET ", "GET /doc", "GET /docs/", "GET START", "GET START text/html"} {
		_, h := ownResponse(t, f, "200 "+request)
		status, again := ownResponse(t, f, "304 "+request+" If-None-Match="+h.Get("Etag"))
		if diff := cmp.Diff(forCaches(h), forCaches(again)); diff != "" || status != "304" {
			t.Errorf("%s: %s (-200 +304):\n%s", request, status, diff)
		}
	}
}

// TestSiteRefusalsOutside: nor are errors of the site that are not cached here.
func TestSiteRefusalsOutside(t *testing.T) {
	t.Parallel()
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Surrogate = freshness.Surrogate{Tags: "surrogate-key", Lifetime: freshness.SurrogateControl}
	})
	want := map[string]string{"Cache-Control": "no-cache", "Surrogate-Control": "max-age=0, no-store"}
	for i, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusGone} {
		f.Answers(facadetest.Answer(status, `{"code":"gone","message":"No","data":{"status":0}}`))
		w := httptest.NewRecorder()
		f.Facade.ServeHTTP(w, httptest.NewRequest(http.MethodGet, fmt.Sprintf("/wp-json/%s/events/%d", mapping.Namespace, i+1), nil))
		if diff := cmp.Diff(want, forCaches(w.Header())); diff != "" || w.Code != status {
			t.Errorf("%d: %d (-want +got):\n%s", status, w.Code, diff)
		}
	}
}

// ownFacade has a site that cannot be reached.
func ownFacade(t *testing.T, o freshness.Surrogate, e edge.Options) *proxy.Facade {
	options := facadetest.FaultOptions("http://127.0.0.1:1")
	options.Surrogate, options.Edge, options.Docs = o, e, true
	f := proxy.New(options)
	t.Cleanup(f.Close)
	return f
}

// ownResponse sends a request: a status that is expected, a method, a path below the namespace, or
// START for the start page, and after spaces Accept and If-None-Match.
func ownResponse(t *testing.T, f *proxy.Facade, request string) (status string, h http.Header) {
	t.Helper()
	fields := strings.SplitN(request, " ", 4)
	path := "/wp-json/" + mapping.Namespace + fields[2]
	if fields[2] == "START" {
		path = "/"
	}
	r := httptest.NewRequestWithContext(t.Context(), fields[1], path, nil)
	for _, header := range fields[3:] {
		for field := range strings.SplitSeq(header, " ") {
			if tag, ok := strings.CutPrefix(field, "If-None-Match="); ok {
				r.Header.Set("If-None-Match", tag)
				continue
			}
			r.Header.Set("Accept", field)
		}
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return fmt.Sprint(w.Code), w.Header()
}

// forCaches returns the fields that caches read.
func forCaches(h http.Header) map[string]string {
	headers := map[string]string{"Cache-Control": h.Get("Cache-Control")}
	for name, values := range h {
		for _, field := range append(freshness.SurrogateFields, "X-Accel-Expires") {
			if textproto.CanonicalMIMEHeaderKey(name) == textproto.CanonicalMIMEHeaderKey(field) {
				headers[field] = strings.Join(values, ", ")
			}
		}
	}
	return headers
}
