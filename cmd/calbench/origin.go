package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

const (
	siteURL         = "http://legacy.example.org" // what links of the legacy start with
	legacyNamespace = "tribe/events/v1"
	legacyPath      = "/wp-json/" + legacyNamespace
)

// countPath returns the number of requests that the origin has answered.
const countPath = "/count"

// page is a response of the legacy site.
type page struct {
	header http.Header
	body   []byte
	zipped []byte
}

// legacyPages requests a list of about 40 KB and an event of about 4 KB from the
// stand-in.
func legacyPages() (list, single page) {
	site := sim.New(sim.Options{Site: siteURL})
	for n := 5; len(list.body) < 40_000 && n <= 50; n++ {
		list = fetch(site, fmt.Sprintf("%s/events?per_page=%d", legacyPath, n))
	}
	var events struct{ Events []struct{ ID int } }
	if err := json.Unmarshal(list.body, &events); err != nil {
		panic("BUG: the stand-in's list: " + err.Error())
	}
	for _, e := range events.Events {
		one := fetch(site, fmt.Sprintf("%s/events/%d", legacyPath, e.ID))
		if distance(one.body) < distance(single.body) {
			single = one
		}
	}
	return list, single
}

func distance(body []byte) int { return max(4300-len(body), len(body)-4300) }

func fetch(h http.Handler, target string) page {
	w := &memoryWriter{header: http.Header{}}
	h.ServeHTTP(w, request(target))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	// Writing to a buffer does not fail.
	_, _ = z.Write(w.body.Bytes())
	_ = z.Close()
	return page{header: w.header, body: w.body.Bytes(), zipped: zipped.Bytes()}
}

func request(target string) *http.Request {
	u, err := url.Parse(siteURL + target)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, RequestURI: target, Header: http.Header{}, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:1",
	}
}

// memoryWriter records a response.
type memoryWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *memoryWriter) Header() http.Header         { return w.header }
func (w *memoryWriter) WriteHeader(status int)      { w.status = status }
func (w *memoryWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// origin serves the same ready bodies for every list and every event, so that a miss
// shows the cost of the proxy and not of the stand-in, and a 404 of 2 MB for each venue.
// It compresses only for nginx and HAProxy, which cannot store what they compress
// themselves.
func origin(ctx context.Context, p process) error {
	return serve(ctx, p, &http.Server{Handler: staticOrigin()})
}

func staticOrigin() http.Handler {
	list, single := legacyPages()
	var answered atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == countPath {
			_, _ = fmt.Fprint(w, answered.Load())
			return
		}
		answered.Add(1)
		if strings.HasPrefix(r.URL.Path, legacyPath+"/venues/") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprintf(w, `{"code":"venue-not-found","message":"%s","data":{"status":404}}`, atLength)
			return
		}
		below, ok := strings.CutPrefix(r.URL.Path, legacyPath+"/events")
		if !ok {
			http.NotFound(w, r)
			return
		}
		if below == "" {
			list.send(w, r)
			return
		}
		single.send(w, r)
	})
}

// atLength is the body of a 404 of the origin.
var atLength = strings.Repeat("not here ", 2_000_000/9)

func (p page) send(w http.ResponseWriter, r *http.Request) {
	body, h := p.body, w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	if r.Header.Get("X-Bench-Haproxy") != "" {
		h.Set("Cache-Control", "max-age=3600")
		h.Del("Vary")
	}
	if r.Header.Get("X-Bench-Haproxy") == "gzip" {
		h.Set("Vary", "Accept-Encoding")
	}
	if strings.Contains(r.Header.Get("X-Bench-Gzip")+r.Header.Get("X-Bench-Haproxy"), "gzip") {
		body = p.zipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
