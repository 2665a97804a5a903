package caching_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/julienschmidt/httprouter"
)

// newBenchFacade is a facade before a legacy in this process that always sends the same.
func newBenchFacade(b *testing.B) *proxy.Facade {
	return facadetest.NewBenchFacadeWith(b, func(*proxy.Options) {})
}

// BenchmarkHit compares whole hits in memory with a handler that is behind the
// same router and has a ready body.
func BenchmarkHit(b *testing.B) {
	f := newBenchFacade(b)
	for _, body := range []struct{ name, target, pattern string }{
		{"list", facadetest.BenchList, "/wp-json/calendar/events/v1/events"},
		{"single", facadetest.BenchSingle, "/wp-json/calendar/events/v1/events/:id"},
	} {
		w := &facadetest.Sink{Fields: http.Header{}}
		req := httptest.NewRequest(http.MethodGet, body.target, nil)
		w.Serve(f, req)
		time.Sleep(50 * time.Millisecond) // until it is compressed
		w.Serve(f, req)
		size := w.Bytes
		tag := w.Fields["Etag"]
		zipped := req.Clone(req.Context())
		zipped.Header["Accept-Encoding"] = []string{"gzip, deflate, br"}
		clone := req.Clone(req.Context())
		clone.Header["If-None-Match"] = tag

		b.Run(body.name+"/bare", func(b *testing.B) { facadetest.Repeat(b, benchBare(body.pattern, size), req, http.StatusOK) })
		b.Run(body.name+"/plain", func(b *testing.B) { facadetest.Repeat(b, f, req, http.StatusOK) })
		b.Run(body.name+"/gzip", func(b *testing.B) { facadetest.Repeat(b, f, zipped, http.StatusOK) })
		b.Run(body.name+"/304", func(b *testing.B) { facadetest.Repeat(b, f, clone, http.StatusNotModified) })
	}
}

// BenchmarkLegacyHit is BenchmarkHit for a client of the legacy's names.
func BenchmarkLegacyHit(b *testing.B) {
	f := facadetest.NewBenchFacadeWith(b, func(o *proxy.Options) {
		o.LegacyClients = &legacyclients.Options{Names: mapping.API{Dialect: tribe.Dialect}}
	})
	for _, test := range []struct{ name, target string }{{"list", facadetest.BenchList}, {"single", facadetest.BenchSingle}} {
		req := httptest.NewRequest(http.MethodGet, strings.Replace(test.target, "calendar/", "tribe/", 1), nil)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, req)
		zipped := req.Clone(req.Context())
		zipped.Header["Accept-Encoding"] = []string{"gzip, deflate, br"}
		b.Run(test.name+"/plain", func(b *testing.B) { facadetest.Repeat(b, f, req, http.StatusOK) })
		b.Run(test.name+"/gzip", func(b *testing.B) { facadetest.Repeat(b, f, zipped, http.StatusOK) })
	}
}

func benchBare(pattern string, size int) http.Handler {
	body := []byte(strings.Repeat("x", size))
	kind := []string{"application/json"}
	length := []string{strconv.Itoa(size)}
	control := []string{"max-age=60"}
	router := httprouter.New()
	router.GET(pattern, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		h := w.Header()
		h["Content-Type"], h["Content-Length"], h["Cache-Control"] = kind, length, control
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body)
	})
	return router
}
