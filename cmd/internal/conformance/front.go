package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// front is what the client of the suite connects to: it makes requests to the facade of those
// for a test.
type front struct {
	facade  string // base URL of the neutral namespace
	suite   http.Handler
	targets *targets
	tags    validators
	client  http.RoundTripper
}

func newFront(facade string, suite *url.URL, known *targets) *front {
	return &front{
		facade: facade + "/" + mapping.Namespace, suite: httputil.NewSingleHostReverseProxy(suite), targets: known,
		client: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	}
}

// ServeHTTP implements [http.Handler]. The suite configures its server, and reads what that
// has received, past the cache.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/test/") {
		f.suite.ServeHTTP(w, r)
		return
	}
	t := f.targets.note(r)
	res, body, err := f.send(f.request(r, t))
	if err != nil {
		log.Printf("%s %s: %v", r.Method, r.URL, err)
		panic(http.ErrAbortHandler)
	}
	header, text := f.response(t, res, body)
	for name, values := range header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = io.WriteString(w, text)
}

// request returns the request to the facade. A write becomes an update of the item.
func (f *front) request(r *http.Request, t target) *http.Request {
	path, body := fmt.Sprintf("/events/%d", t.id), ""
	switch {
	case t.listed():
		path = "/venues?search=" + url.QueryEscape(t.url)
	case r.Method == http.MethodPost || r.Method == http.MethodPut:
		body = `{"title":"cache test"}`
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, f.facade+path, strings.NewReader(body))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	out.Header = r.Header.Clone()
	for _, name := range []string{"Connection", "Content-Length", "Content-Type"} {
		out.Header.Del(name)
	}
	if body != "" {
		out.Header.Set("Content-Type", "application/json")
	}
	if match := out.Header["If-None-Match"]; match != nil {
		out.Header["If-None-Match"] = f.tags.toFacade(t.id, match)
	}
	return out
}

// send makes a request, and returns the body without its coding.
func (f *front) send(r *http.Request) (res *http.Response, body []byte, err error) {
	res, err = f.client.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	body, err = io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, nil, err
	}
	if res.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		plain, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, nil, err
		}
		if body, err = io.ReadAll(plain); err != nil {
			return nil, nil, err
		}
	}
	return res, body, nil
}

// response returns header fields and body for the client: those of the suite's server, with
// what the facade says about the state of its cache. An error of the facade passes unchanged.
func (f *front) response(t target, res *http.Response, body []byte) (http.Header, string) {
	sent, ok := unseal(body)
	var h http.Header
	switch {
	case ok:
		f.tags.note(t.id, res.Header.Get("Etag"), sent)
		h = sent.Header.Clone()
	case res.StatusCode == http.StatusNotModified:
		h = f.tags.fields(t.id, res.Header.Get("Etag"))
		if res.Header["Etag"] == nil {
			h.Del("Etag")
		}
	default:
		h, sent.Body = res.Header.Clone(), string(body)
		h.Del("Content-Encoding")
		h.Del("Content-Length")
	}
	for _, name := range ofTheCache {
		delete(h, name)
		if v := res.Header[name]; v != nil {
			h[name] = v
		}
	}
	return h, sent.Body
}

// ofTheCache are the fields that a cache sets or changes, of which the client gets those of
// the facade.
var ofTheCache = []string{"Age", "Cache-Status", "Date", "Warning"}
