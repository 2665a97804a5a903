package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
)

// legacyNamespace is that of the legacy's REST API.
const legacyNamespace = "tribe/events/v1"

// origin is the site behind the facade. It speaks the legacy's form, and gets every response
// from the suite's server.
type origin struct {
	suite   string // base URL
	targets *targets
	client  http.RoundTripper
}

// ServeHTTP implements [http.Handler].
func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, last, ok := o.find(r)
	switch {
	case !ok:
		writeJSON(w, http.StatusNotFound, errorBody{"rest_no_route", "No route was found.", nil})
		return
	case r.Method == http.MethodGet && last.method != http.MethodGet && last.method != http.MethodHead:
		writeJSON(w, http.StatusOK, event{ID: t.id, Title: "cache test"}) // the facade reads what it is about to change
		return
	}
	res, body, err := o.forward(r, t, last)
	if err != nil {
		panic(http.ErrAbortHandler) // the suite's server closed the connection
	}
	send(w, t, res, body)
}

// find returns the target that a call of the facade is about.
func (o *origin) find(r *http.Request) (target, latest, bool) {
	path, _ := strings.CutPrefix(r.URL.Path, "/wp-json/"+legacyNamespace)
	if path == "/venues" {
		return o.targets.byURL(r.URL.Query().Get("search"))
	}
	id, _ := strings.CutPrefix(path, "/events/")
	n, _ := strconv.Atoi(id)
	return o.targets.byID(n)
}

// forward makes the call at the suite's server, with the fields that the facade sends and the
// bookkeeping of the suite.
func (o *origin) forward(r *http.Request, t target, last latest) (*http.Response, string, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, o.suite+t.url, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	out.Header = r.Header.Clone()
	for name, values := range last.notes {
		out.Header[name] = values
	}
	for _, name := range []string{"Accept-Encoding", "Content-Length", "Content-Type"} {
		out.Header.Del(name)
	}
	res, err := o.client.RoundTrip(out)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// send writes a response of the suite's server in the legacy's form.
func send(w http.ResponseWriter, t target, res *http.Response, body string) {
	text := envelope{forwarded(res.Header), body}.seal()
	for name, values := range res.Header {
		if !framing[name] {
			w.Header()[name] = values
		}
	}
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		writeJSON(w, res.StatusCode, errorBody{"cache-test", text, map[string]int{"status": res.StatusCode}})
	case t.listed():
		writeJSON(w, res.StatusCode, list{[]venue{{t.id, text}}, 1, 1})
	default:
		writeJSON(w, res.StatusCode, event{t.id, text})
	}
}

// framing are fields about the message of the suite's server, which is not the one that the
// facade gets.
var framing = map[string]bool{
	"Connection": true, "Content-Encoding": true, "Content-Length": true, "Content-Range": true, "Content-Type": true, "Keep-Alive": true,
	"Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// forwarded returns the fields of a response that a proxy forwards (RFC 9110, 7.6.1).
func forwarded(h http.Header) http.Header {
	out := h.Clone()
	for _, names := range h["Connection"] {
		for name := range strings.SplitSeq(names, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{
		"Connection", "Content-Length", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
		"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		out.Del(name)
	}
	return out
}

// The legacy's forms, as far as the facade needs them.
type (
	event struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	venue struct {
		ID   int    `json:"id"`
		Name string `json:"venue"`
	}
	list struct {
		Venues     []venue `json:"venues"`
		Total      int     `json:"total"`
		TotalPages int     `json:"total_pages"`
	}
	errorBody struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	}
)

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		log.Print(err)
	}
}
