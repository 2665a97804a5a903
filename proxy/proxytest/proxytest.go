// Package proxytest has what the tests of package proxy and of the packages below it share, and what
// they share with the benchmarks.
package proxytest

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// NewRequest makes a request with the context of the test.
func NewRequest(t testing.TB, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Fetch sends a request, and returns status and body of the response.
func Fetch(t testing.TB, by http.RoundTripper, r *http.Request) (status int, body string) {
	t.Helper()
	res, err := by.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// Unused returns a transport that fails the test if it is used.
func Unused(t testing.TB) http.RoundTripper { return unused{t} }

type unused struct{ t testing.TB }

// RoundTrip implements [http.RoundTripper].
func (u unused) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("a connection would be made: %s %s", r.Method, r.URL)
	return nil, errors.New("no network")
}

// Files returns the contents of all files in a directory and below, by path.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
