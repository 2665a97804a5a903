package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

const (
	siteURL         = "http://legacy.example.org" // what links of the legacy start with
	legacyNamespace = "tribe/events/v1"
	legacyPath      = "/wp-json/" + legacyNamespace
)

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
		list = fetchPage(site, fmt.Sprintf("%s/events?per_page=%d", legacyPath, n))
	}
	var events struct{ Events []struct{ ID int } }
	if err := json.Unmarshal(list.body, &events); err != nil {
		panic("BUG: the stand-in's list: " + err.Error())
	}
	for _, e := range events.Events {
		one := fetchPage(site, fmt.Sprintf("%s/events/%d", legacyPath, e.ID))
		if distance(one.body) < distance(single.body) {
			single = one
		}
	}
	return list, single
}

func distance(body []byte) int { return max(4300-len(body), len(body)-4300) }

func fetchPage(h http.Handler, target string) page {
	w := &memoryWriter{header: http.Header{}}
	h.ServeHTTP(w, newRequest(target))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	// Writing to a buffer does not fail.
	_, _ = z.Write(w.body.Bytes())
	_ = z.Close()
	return page{header: w.header, body: w.body.Bytes(), zipped: zipped.Bytes()}
}

func newRequest(target string) *http.Request {
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

func (w *memoryWriter) Header() http.Header { return w.header }

func (w *memoryWriter) WriteHeader(status int) { w.status = status }

func (w *memoryWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// discard is the cheapest response writer.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(int) {}

func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// serveLegacy serves the stand-in.
func serveLegacy(ctx context.Context, p process) error {
	return serve(ctx, p, &http.Server{Handler: sim.New(sim.Options{Site: siteURL})})
}

// publicURL is the base of links in responses.
const publicURL = "https://calendar.example.org"
