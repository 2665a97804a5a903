package upstream

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

func gzipped(t *testing.T, layers int, body []byte) []byte {
	t.Helper()
	for range layers {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		body = b.Bytes()
	}
	return body
}

// coded calls a site that responds with a status, the codings and a body, and returns the response as
// the facade and as a recording get it.
func coded(t *testing.T, status int, codings []string, body []byte) (got Response, recorded []byte, err error) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if accepts := r.Header.Values("Accept-Encoding"); len(accepts) != 1 || accepts[0] != "gzip" {
			t.Errorf("Accept-Encoding: %q", accepts)
		}
		w.Header()["Content-Encoding"] = codings
		w.WriteHeader(status)
		_, _ = w.Write(body) // a client that has enough disconnects
	}))
	defer site.Close()
	var tap bytes.Buffer
	u := New("legacy", Options{
		MaxBody: maxCoded,
		Wrap:    func(next http.RoundTripper) http.RoundTripper { return tapping{next: next, w: &tap} },
	}, []Root{{Name: "en", URL: site.URL}}, new(Hosts))
	defer u.Close()
	got, _, err = u.Do(t.Context(), site.URL, Request{Request: mapping.Request{Method: http.MethodGet, Path: "/events"}})
	return got, tap.Bytes(), err
}

const maxCoded = 1 << 16

type tapping struct {
	next http.RoundTripper
	w    io.Writer
}

func (t tapping) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{Reader: io.TeeReader(response.Body, t.w), Closer: response.Body}
	}
	return response, err
}

func TestCodings(t *testing.T) {
	const plain = `{"id":5}`
	for _, test := range []struct {
		codings []string
		layers  int
		coding  string // "" if the body is decoded
	}{
		{
			codings: nil,
			layers:  0,
			coding:  "",
		}, {
			codings: []string{"identity"},
			layers:  0,
			coding:  "",
		}, {codings: []string{""}, layers: 0, coding: ""}, {codings: []string{"utf-8"}, layers: 0, coding: ""},
		{
			codings: []string{"gzip"},
			layers:  1,
			coding:  "",
		}, {
			codings: []string{"GZip"},
			layers:  1,
			coding:  "",
		}, {
			codings: []string{"x-gzip"},
			layers:  1,
			coding:  "",
		}, {codings: []string{"identity, gzip"}, layers: 1, coding: ""},
		{
			codings: []string{"gzip, gzip"},
			layers:  2,
			coding:  "",
		}, {
			codings: []string{"gzip", "x-gzip"},
			layers:  2,
			coding:  "",
		}, {codings: []string{"gzip,gzip , gzip"}, layers: 3, coding: ""},
		{
			codings: []string{"gzip, gzip, gzip, gzip"},
			layers:  4,
			coding:  "gzip, gzip, gzip, gzip",
		}, {
			codings: []string{"br"},
			layers:  1,
			coding:  "br",
		}, {codings: []string{"br, gzip"}, layers: 1, coding: "br, gzip"},
	} {
		body := gzipped(t, test.layers, []byte(plain))
		want := body
		if test.coding == "" {
			want = []byte(plain)
		}
		got, recorded, err := coded(t, http.StatusOK, test.codings, body)
		if err != nil || !bytes.Equal(got.Body, want) || !bytes.Equal(recorded, want) || got.Undecoded() != test.coding {
			t.Errorf("%q: got %q, recorded %q, undecoded %q, %v", test.codings, got.Body, recorded, got.Undecoded(), err)
		}
	}
	for _, status := range []int{http.StatusOK, http.StatusNoContent, http.StatusNotModified, http.StatusNotFound} {
		if got, _, err := coded(t, status, []string{"gzip, gzip"}, nil); err != nil || len(got.Body) > 0 || got.Status != status {
			t.Errorf("%d without a body: got %d %q, %v", status, got.Status, got.Body, err)
		}
	}
}

// TestBrokenCodings: a body that is cut off, too large or no gzip at any of the layers.
func TestBrokenCodings(t *testing.T) {
	twice := []string{"gzip, gzip"}
	large := gzipped(t, 1, make([]byte, 2*maxCoded))
	cut := func(b []byte) []byte { return b[:len(b)-9] }
	for name, test := range map[string]struct {
		codings []string
		body    []byte
		want    FailureKind
		cause   error
	}{
		"cut off": {
			codings: []string{"gzip"},
			body:    cut(gzipped(t, 1, []byte("{}"))),
			want:    Broken,
			cause:   io.ErrUnexpectedEOF,
		},
		"cut off in the header": {
			codings: []string{"gzip"},
			body:    gzipped(t, 1, nil)[:5],
			want:    Broken,
			cause:   io.ErrUnexpectedEOF,
		},
		"cut off inside": {
			codings: twice,
			body:    gzipped(t, 1, cut(gzipped(t, 1, []byte("{}")))),
			want:    Broken,
			cause:   io.ErrUnexpectedEOF,
		},
		"no gzip": {
			codings: []string{"gzip"},
			body:    []byte(`{"title":"no gzip"}`),
			want:    Broken,
			cause:   nil,
		},
		"no gzip inside": {
			codings: twice,
			body:    gzipped(t, 1, []byte(`{"title":"no gzip"}`)),
			want:    Broken,
			cause:   nil,
		},
		"too large":       {codings: []string{"gzip"}, body: large, want: TooBig, cause: errTooBig},
		"too large twice": {codings: twice, body: gzipped(t, 1, large), want: TooBig, cause: errTooBig},
	} {
		got, _, err := coded(t, http.StatusOK, test.codings, test.body)
		if KindOf(err) != test.want || test.cause != nil && !errors.Is(err, test.cause) || strings.Contains(err.Error(), "no gzip") {
			t.Errorf("%s: got %q, %s: %v", name, got.Body, KindOf(err), err)
		}
	}
}
