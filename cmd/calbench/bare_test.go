package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// facadeResponse is a response of the facade in a file, as bodies writes it.
func facadeResponse(t *testing.T) (file string, fields http.Header, body string) {
	t.Helper()
	fields = http.Header{
		"Age": {"3"}, "Cache-Control": {"max-age=60"}, "Cache-Status": {"calfacade; hit"}, "Content-Type": {"application/json"},
		"Etag": {`"a"`}, "Vary": {"Accept-Encoding"}, "X-Request-Id": {"0123456789abcdef"},
	}
	body = `{"id":5}`
	file = filepath.Join(t.TempDir(), "single.http")
	if err := os.WriteFile(file, []byte(asText(fields, []byte(body))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, fields, body
}

// TestResponseFile: a response is read as it was written.
func TestResponseFile(t *testing.T) {
	file, fields, body := facadeResponse(t)
	got, data, err := answerIn(file)
	got.Del("Content-Length")
	if diff := cmp.Diff(fields, got); err != nil || diff != "" || string(data) != body {
		t.Errorf("got %q, %v, fields (-want +got):\n%s", data, err, diff)
	}
	if _, _, err := answerIn(file + ".missing"); err == nil {
		t.Error("a missing file is no error")
	}
}

// TestBareHandlers: bare sends its own three fields, or those of the facade, and then
// answers If-None-Match.
func TestBareHandlers(t *testing.T) {
	file, _, body := facadeResponse(t)
	fields, data, err := answerIn(file)
	if err != nil {
		t.Fatal(err)
	}
	same := alike(fields, func(*http.Request) ([]byte, error) { return data, nil })
	broken := alike(fields, func(*http.Request) ([]byte, error) { return nil, os.ErrClosed })
	for name, test := range map[string]struct {
		handle func(http.ResponseWriter, *http.Request)
		known  string // If-None-Match
		status int
		body   string
		fields int // other than Content-Length
	}{
		"ready":          {func(w http.ResponseWriter, r *http.Request) { ready(data)(w, r, nil) }, `"a"`, http.StatusOK, body, 2},
		"alike":          {func(w http.ResponseWriter, r *http.Request) { same(w, r, nil) }, "", http.StatusOK, body, 7},
		"alike, another": {func(w http.ResponseWriter, r *http.Request) { same(w, r, nil) }, `"b"`, http.StatusOK, body, 7},
		"alike, known":   {func(w http.ResponseWriter, r *http.Request) { same(w, r, nil) }, `"a"`, http.StatusNotModified, "", 6},
		"no body":        {func(w http.ResponseWriter, r *http.Request) { broken(w, r, nil) }, "", http.StatusBadGateway, os.ErrClosed.Error() + "\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRequest("/events/5")
			if test.known != "" {
				r.Header.Set("If-None-Match", test.known)
			}
			w := httptest.NewRecorder()
			test.handle(w, r)
			w.Header().Del("Content-Length")
			if w.Code != test.status || w.Body.String() != test.body || len(w.Header()) != test.fields {
				t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
			}
		})
	}
}
