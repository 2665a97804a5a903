package processtest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve serves h on loopback until the test ends and returns its URL.
func Serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
