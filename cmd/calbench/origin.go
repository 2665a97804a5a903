package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// countPath returns the number of requests that the origin has answered.
const countPath = "/count"

// serveOrigin serves the same ready bodies for every list and every event, so that a miss
// shows the cost of the proxy and not of the stand-in, and a 404 of 2 MB for each venue.
// It compresses only for nginx and HAProxy, which cannot store what they compress
// themselves.
func serveOrigin(ctx context.Context, p process) error {
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
