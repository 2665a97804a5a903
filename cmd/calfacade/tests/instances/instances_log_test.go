//go:build !race

package instances_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestPurgePending: a write says so if Redis does not take its purge. The purge is pending, also after
// reloads that connect to Redis again, and reaches the other instance once Redis is back, though nobody
// asks this one.
func TestPurgePending(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	redis, a, b, _ := pairOn(t, binary, processtest.Patience, "", "")
	if _, status := writeStatus(a); strings.Contains(status, "pending") {
		t.Errorf("with Redis: Cache-Status: %s", status)
	}
	stored := readVenue(b)
	testwait.Signal(t, redis, syscall.SIGSTOP)
	wrote, status := writeStatus(a)
	if want := "calfacade; fwd=method; detail=purge-pending"; status != want {
		t.Errorf("without Redis: Cache-Status: %s, want %s", status, want)
	}
	if got := readVenue(b); got != stored {
		t.Errorf("%s at the other instance", got)
	}
	a.Edit("redis_timeout: 2s", "redis_timeout: 260ms")
	a.HangUp()
	a.Expect(`"msg":"configuration reloaded"`)
	if pending, got := a.Value("calfacade_cache_pending_purges"), readVenue(a); pending != "1" || got != wrote {
		t.Errorf("after a reload %s purges are pending, and %s is read after the write of %s", pending, got, wrote)
	}
	a.Edit("redis_timeout: 260ms", "redis_timeout: 270ms")
	a.HangUp()
	a.Eventually("another reload", func() bool { return strings.Count(a.Out.Text(), `"msg":"configuration reloaded"`) == 2 })
	testwait.Signal(t, redis, syscall.SIGCONT)
	b.Eventually("the write is seen", func() bool { return readVenue(b) == wrote })
	a.Eventually("no purge is pending", func() bool { return a.Value("calfacade_cache_pending_purges") == "0" })
}

// writeStatus is write, with the Cache-Status of the answer.
func writeStatus(s processtest.Serving) (version, status string) {
	s.Helper()
	res, body := processtest.Send(s.T, writeRequest(s))
	if res.StatusCode != http.StatusOK {
		s.Fatalf("%s %s", res.Status, body)
	}
	return processtest.VersionPattern.FindString(string(body)), res.Header.Get("Cache-Status")
}

// TestFullRedis: a Redis that is full and evicts nothing is down at every instance that serves, with
// one record that says why, until it accepts writes again. An instance always shows its own writes,
// and after that also the others'.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	server := redistest.StartServer(t)
	a, b, _ := pairAt(t, binary, server.URL(), processtest.Patience, "", "")
	servings := []processtest.Serving{a, b}
	write(a)
	readVenue(b)
	server.Do("CONFIG", "SET", "maxmemory", "1")
	for _, s := range servings {
		s.Eventually("Redis is down", func() bool { readVenue(s); return s.Value("calfacade_redis_up") == "0" })
	}
	var wrote string
	for range 10 {
		for _, s := range servings {
			var status string
			wrote, status = writeStatus(s)
			if !strings.HasSuffix(status, "; detail=purge-pending") {
				t.Errorf("Cache-Status: %s", status)
			}
			if got := readVenue(s); got != wrote {
				t.Errorf("%s after the own write of %s", got, wrote)
			}
			if up := s.Value("calfacade_redis_up"); up != "0" {
				t.Errorf("redis_up is %s", up)
			}
		}
	}
	for _, s := range servings {
		if text := s.Out.Text(); strings.Count(text, `"msg":"redis is down`) != 1 || strings.Contains(text, `"msg":"redis is back"`) {
			t.Error("not one record of a Redis that is down")
		}
		s.Expect(`"msg":"redis is down.*"error":".*OOM command not allowed`)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	for _, s := range servings {
		s.Expect(`"msg":"redis is back"`)
		s.Eventually("the last write is seen", func() bool { return readVenue(s) == wrote })
		s.Eventually("Redis is up", func() bool { return s.Value("calfacade_redis_up") == "1" })
	}
}

// TestLanguagesDiffer: an instance that serves one language of a site, and one that serves two, as while
// a configuration is rolled out: a write at either is seen in the lists of both.
func TestLanguagesDiffer(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	server := redistest.StartServer(t)
	var version atomic.Int32
	site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			proxytest.WriteItem(w, `{"id":12,"venue":"version %d"}`, version.Add(1))
			return
		}
		proxytest.WriteItem(w, `{"venues":[{"id":7,"venue":"version %d"}],"total":1,"total_pages":1}`, version.Load())
	}))
	config := "updates: as_is\ncache: {redis: '" + server.URL() + "', redis_timeout: 2s, ttl: {venues: 1h}}\nshutdown_timeout: 2s"
	first := processtest.StartServe(t, binary, site, config)
	file := processtest.WriteConfig(t, site, config)
	text := strings.Replace(processtest.ReadFile(t, file), "/wp-json\"}]",
		"/wp-json\"}, {code: es, root: /es/wp-json, upstream: \""+site+"/es/wp-json\"}]", 1)
	file = filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	second := processtest.StartServing(t, binary, "serve", "--config", file)
	spanish := second
	spanish.Base = strings.Replace(second.Base, "/wp-json", "/es/wp-json", 1)
	for i := range 3 {
		for index, writer := range []processtest.Serving{first, second, spanish} {
			for _, s := range []processtest.Serving{first, second, spanish} {
				s.Get("/venues")
			}
			wrote := write(writer)
			for reader, s := range []processtest.Serving{first, second, spanish} {
				if got := processtest.VersionPattern.FindString(s.Get("/venues")); got != wrote {
					t.Errorf("round %d: list %d shows %s after the write of %s at %d", i, reader, got, wrote, index)
				}
			}
		}
	}
}
