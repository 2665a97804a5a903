package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
)

// roles are servers of this program with a process of their own. The first argument of the program names them, the others are
// the address to listen on, a URL, and for bare the directory of a certificate or "".
var roles = map[string]func(ctx context.Context, args []string) error{
	origin:  serveOrigin,
	bare:    serveBare,
	reverse: serveReverse,
}

// serve serves until ctx ends.
func serve(ctx context.Context, s *http.Server) error {
	context.AfterFunc(ctx, func() { _ = s.Close() })
	s.ErrorLog = log.New(io.Discard, "", 0) // wrk closes the first connection during the handshake
	var err error
	if s.TLSConfig != nil {
		err = s.ListenAndServeTLS("", "")
	} else {
		err = s.ListenAndServe()
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// siteURL is the start of the links of the legacy.
const siteURL = "http://legacy.example.org"

const (
	legacyNamespace = "tribe/events/v1"
	countPath       = "/count" // of the origin: the number of answered requests
)

// page is a response of the legacy site.
type page struct {
	header http.Header
	body   []byte
	zipped []byte
}

// legacyPages requests a list of about 40 KB and the first event of the list from the stand-in.
func legacyPages() (list, single page) {
	site := sim.New(sim.Options{Site: siteURL})
	list = fetchPage(site, "/events?per_page=14")
	var events struct{ Events []struct{ ID int } }
	if err := json.Unmarshal(list.body, &events); err != nil {
		panic("BUG: the stand-in's list: " + err.Error())
	}
	return list, fetchPage(site, fmt.Sprintf("/events/%d", events.Events[0].ID))
}

func fetchPage(h http.Handler, target string) page {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, siteURL+"/wp-json/"+legacyNamespace+target, nil))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	// Writing to a buffer does not fail.
	_, _ = z.Write(w.Body.Bytes())
	_ = z.Close()
	return page{header: w.Header(), body: w.Body.Bytes(), zipped: zipped.Bytes()}
}

// serveOrigin serves the same ready bodies for every list and every event, so that a miss shows the cost of
// the proxy and not of the stand-in. The origin compresses only for nginx and HAProxy, which cannot store
// bodies that they compress themselves, and sets a lifetime for HAProxy, which stores no response without a
// lifetime.
func serveOrigin(ctx context.Context, args []string) error {
	return serve(ctx, &http.Server{Addr: args[0], Handler: staticOrigin()})
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
		id, isSingle := strings.CutPrefix(r.URL.Path, "/wp-json/"+legacyNamespace+"/events/")
		if isSingle {
			single.named(id).send(w, r)
			return
		}
		list.send(w, r)
	})
}

// named returns the page of an event with another id, uncompressed: calfacade checks the id.
func (p page) named(id string) page {
	_, tail, _ := bytes.Cut(p.body, []byte(","))
	p.body = slices.Concat([]byte(`{"id":`+id+","), tail)
	return p
}

// send sends the page in the coding that the request accepts, with the lifetime and the Vary that the program in front
// needs to store the page.
func (p page) send(w http.ResponseWriter, r *http.Request) {
	body := p.body
	h := w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	kind := r.Header.Get("X-Bench-Store")
	if kind != "" {
		h.Set("Cache-Control", "max-age=3600")
		h.Del("Vary")
	}
	if kind == "gzip" {
		h.Set("Vary", "Accept-Encoding")
	}
	if strings.Contains(r.Header.Get("X-Bench-Gzip")+kind, "gzip") {
		body = p.zipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// serveBare is the minimum in Go for a server with the timeouts and the responses of calfacade: a router and ready bodies.
func serveBare(ctx context.Context, args []string) error {
	router := httprouter.New()
	for body, path := range map[string]string{bodyList: "/events", bodySingle: "/events/:id"} {
		h, data, err := get(args[1] + pathOf(body, facade))
		if err != nil {
			return err
		}
		h.Del("Date") // net/http's
		h.Set("Content-Length", strconv.Itoa(len(data)))
		router.GET("/wp-json/"+mapping.Namespace+path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			header := w.Header()
			for name, values := range h {
				header[name] = values
			}
			_, _ = w.Write(data)
		})
	}
	s := &http.Server{
		Addr: args[0], Handler: router, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 50 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	dir := args[2]
	if dir != "" {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, certFile), filepath.Join(dir, keyFile))
		if err != nil {
			return err
		}
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	}
	return serve(ctx, s)
}

// serveReverse is httputil.ReverseProxy with as many connections as calls.
func serveReverse(ctx context.Context, args []string) error {
	target, err := url.Parse(args[1])
	if err != nil {
		return err
	}
	return serve(ctx, &http.Server{Addr: args[0], Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.URL.Path = strings.Replace(r.In.URL.Path, mapping.Namespace, legacyNamespace, 1)
		},
		Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, DisableCompression: true},
	}})
}
