package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Paths of the origin itself.
const (
	countPath = "/count" // the number of requests that it has answered
	delayPath = "/delay" // delays each response from now on by its query, a duration of Go
)

// serveOrigin serves the same ready bodies for every list and every event, so that a miss
// shows the cost of the proxy and not of the stand-in, and a 404 of 2 MB for each venue.
// It compresses only for nginx and HAProxy, which cannot store what they compress
// themselves, and sets a lifetime for HAProxy and Caddy, which store nothing without one.
func serveOrigin(ctx context.Context, p process) error {
	return serve(ctx, p, &http.Server{Handler: staticOrigin()})
}

func staticOrigin() http.Handler {
	list, single := legacyPages()
	var answered, delay atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case countPath:
			_, _ = fmt.Fprint(w, answered.Load())
			return
		case delayPath:
			d, err := time.ParseDuration(r.URL.RawQuery)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
			delay.Store(int64(d))
			return
		}
		answered.Add(1)
		time.Sleep(time.Duration(delay.Load()))
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
		single.named(strings.TrimPrefix(below, "/")).send(w, r)
	})
}

// atLength is the body of a 404 of the origin.
var atLength = strings.Repeat("not here ", 2_000_000/9)

// named returns the page of an event with another id, uncompressed: the facade checks the id.
func (p page) named(id string) page {
	_, rest, _ := bytes.Cut(p.body, []byte(","))
	p.body = slices.Concat([]byte(`{"id":`+id+","), rest)
	return p
}

func (p page) send(w http.ResponseWriter, r *http.Request) {
	body, h := p.body, w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	if r.Header.Get("X-Bench-Store") != "" {
		h.Set("Cache-Control", "max-age=3600")
		h.Del("Vary")
	}
	if r.Header.Get("X-Bench-Store") == "gzip" {
		h.Set("Vary", "Accept-Encoding")
	}
	if strings.Contains(r.Header.Get("X-Bench-Gzip")+r.Header.Get("X-Bench-Store"), "gzip") {
		body = p.zipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
