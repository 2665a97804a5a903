package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCountUp(t *testing.T) {
	const want = `local n = 0
function init(args) n = tonumber(args[1]) end
function request()
  n = (n + 1) % 3
  return wrk.format(nil, string.format("/events/%d", n))
end
function delay() return 5 end
`
	if got := countUp("/events/%d", 3, 5*time.Millisecond); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestScripts sends what wrk makes of the scripts.
func TestScripts(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("wrk"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs wrk: ", err)
		}
		t.Skip("no wrk here: ", err)
	}
	for name, test := range map[string]struct {
		script string
		check  func(t *testing.T, got []*http.Request)
	}{
		"identified": {identified("/events/7?a=b%20c"), wantIdentified},
		"mix":        {mix("/events/%d", 0.1), wantMixed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var got []*http.Request
			site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				got = append(got, r)
				mu.Unlock()
			}))
			defer site.Close()
			m := &machine{dir: t.TempDir()}
			file, err := m.file("it.lua", test.script)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.wrk(t.Context(), site.URL, load{script: file, header: []string{"Accept: a/b"}, connections: 2}, 3*time.Second, 5000); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			test.check(t, got)
		})
	}
}

func wantIdentified(t *testing.T, got []*http.Request) {
	ids := map[string]bool{}
	for _, r := range got {
		ids[r.Header.Get("X-Request-Id")] = true
		if r.URL.RequestURI() != "/events/7?a=b%20c" || r.Header.Get("Accept") != "a/b" {
			t.Fatalf("got %s %v", r.URL, r.Header)
		}
	}
	if want := min(len(got), 1024) * 9 / 10; len(ids) < want || ids[""] {
		t.Errorf("%d IDs of %d requests, want %d", len(ids), len(got), want)
	}
}

// wantMixed: requests are drawn by chance, from a seed.
func wantMixed(t *testing.T, got []*http.Request) {
	seen := map[int]int{}
	missed, clients := 0, map[string]bool{}
	for _, r := range got {
		clients[r.Header.Get("X-Forwarded-For")] = true
		n, err := strconv.Atoi(path.Base(r.URL.Path))
		if err != nil || strings.Contains(r.URL.Path, ".") {
			t.Fatalf("got %s", r.URL)
		}
		if n >= zipfKeys {
			missed++
			n = 5000
		}
		seen[n]++
	}
	if share := float64(missed) / float64(len(got)); share < 0.05 || share > 0.15 {
		t.Errorf("%g of %d are misses, want 0.1", share, len(got))
	}
	if len(clients) < 100 {
		t.Errorf("%d clients", len(clients))
	}
	if seen[0] < seen[1] || seen[1] < seen[9] || seen[0] > 20*seen[9]+20 {
		t.Errorf("the first keys were requested %d, %d and %d (the tenth) times of %d", seen[0], seen[1], seen[9], len(got))
	}
}
