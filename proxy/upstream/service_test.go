package upstream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
)

// TestService: a call is made once, to the URL that the caller names, and the response is
// bounded and names no URL.
func TestService(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, _ := io.ReadAll(r.Body)
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set("Seen", r.Method+" "+r.URL.Path+" "+string(body)+" "+r.Header.Get("Key")+" "+r.Header.Get("Cookie"))
		switch r.URL.Path {
		case "/slow":
			<-r.Context().Done()
		case "/redirect":
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	}))
	defer server.Close()
	s := NewService(testwait.Limit, 10)
	defer s.Close()
	for path, status := range map[string]int{"/": 200, "/redirect": 307, "/busy": 503} {
		calls = 0
		got, err := s.Send(context.Background(), "PURGE", server.URL+path, http.Header{"Key": {"k"}}, []byte("body"))
		if err != nil || got.Status != status || len(got.Body) != 10 || calls != 1 || got.Header.Get("Seen") != "PURGE "+path+" body k" {
			t.Errorf("%s: %d calls, %+v, %v", path, calls, got, err)
		}
	}
	hasty := NewService(200*time.Millisecond, 10)
	defer hasty.Close()
	_, err := hasty.Send(context.Background(), "PURGE", server.URL+"/slow?token=secret", nil, nil)
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "slow") {
		t.Errorf("a timeout: %v", err)
	}
	server.Close()
	if _, err := s.Send(context.Background(), "PURGE", server.URL+"/secret", nil, nil); err == nil ||
		strings.Contains(err.Error(), "/secret") {
		t.Errorf("no connection: %v", err)
	}
}
