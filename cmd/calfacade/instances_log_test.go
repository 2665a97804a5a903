package main

import (
	"fmt"
	"net/http"
	"net/url"
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
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestDecidedElsewhere: the decision of one instance, the next request at the other one follows, be
// it where a cached read is served from, or that writes are refused.
func TestDecidedElsewhere(t *testing.T) {
	t.Parallel()
	binary := build(t)
	m := startMoving(t, binary, "[]", []string{"legacy", "candidate"}, false)
	m.a.eventually("the configuration is adopted", func() bool { return m.staged(m.a).Version > 0 })
	decider := m.a
	follower := m.b
	for i, state := range []staging.State{staging.New, staging.Legacy, staging.New, staging.Legacy, staging.New, staging.Legacy} {
		body := fmt.Sprintf(`{"state":%q,"who":"anna"}`, state)
		if res, text := send(t, m.adminRequest(decider, http.MethodPost, body)); res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s", body, res.Status, text)
		}
		want := map[staging.State]string{staging.New: "candidate", staging.Legacy: "legacy"}[state]
		for range 3 { // cached in the end
			if got := m.readEvent(follower); !strings.Contains(got, `"`+want+" ") {
				t.Errorf("change %d, to %s: %s", i, state, got)
			}
		}
		decider, follower = follower, decider
	}
	for range 3 {
		press(decider, "read-only")
		if got := <-m.write(follower, "first"); got.status != http.StatusServiceUnavailable ||
			!strings.Contains(got.body, `"code":"calendar_read_only"`) {
			t.Errorf("a write in read-only mode: %+v", got)
		}
		press(follower, "read-write")
		if got := <-m.write(decider, "second"); got.status != http.StatusOK {
			t.Errorf("a write after it: %+v", got)
		}
	}
	if n := m.sites["legacy"].count("first"); n > 0 {
		t.Errorf("%d writes reached the site in read-only mode", n)
	}
}

// press signs in to the status page, and presses a button there.
func press(s serving, do string) {
	s.Helper()
	ask := func(path, cookie string, form url.Values) (*http.Response, string) {
		s.Helper()
		method := http.MethodGet
		if form != nil {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(s.Context(), method, s.admin+path, strings.NewReader(form.Encode()))
		if err != nil {
			s.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie)
		res, body := send(s.T, r)
		return res, string(body)
	}
	signed, _ := ask("/status/sign-in", "", url.Values{"token": {processtest.TestToken}})
	cookie, _, _ := strings.Cut(signed.Header.Get("Set-Cookie"), ";")
	if res, body := ask("/status/do", cookie, url.Values{"do": {do}}); res.StatusCode != http.StatusSeeOther {
		s.Fatalf("%s: %s %s", do, res.Status, body)
	}
}

// TestPurgePending: a write says so if Redis does not take its purge. The purge is pending, also after
// reloads that connect to Redis again, and reaches the other instance once Redis is back, though nobody
// asks this one.
func TestPurgePending(t *testing.T) {
	t.Parallel()
	binary := build(t)
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
	a.edit("redis_timeout: 2s", "redis_timeout: 260ms")
	a.hangUp()
	a.expect(`"msg":"configuration reloaded"`)
	if pending, got := a.value("calfacade_cache_pending_purges"), readVenue(a); pending != "1" || got != wrote {
		t.Errorf("after a reload %s purges are pending, and %s is read after the write of %s", pending, got, wrote)
	}
	a.edit("redis_timeout: 260ms", "redis_timeout: 270ms")
	a.hangUp()
	a.eventually("another reload", func() bool { return strings.Count(a.out.text(), `"msg":"configuration reloaded"`) == 2 })
	testwait.Signal(t, redis, syscall.SIGCONT)
	b.eventually("the write is seen", func() bool { return readVenue(b) == wrote })
	a.eventually("no purge is pending", func() bool { return a.value("calfacade_cache_pending_purges") == "0" })
}

// writeStatus is write, with the Cache-Status of the answer.
func writeStatus(s serving) (version, status string) {
	s.Helper()
	res, body := send(s.T, writeRequest(s))
	if res.StatusCode != http.StatusOK {
		s.Fatalf("%s %s", res.Status, body)
	}
	return versionPattern.FindString(string(body)), res.Header.Get("Cache-Status")
}

// TestFullRedis: a Redis that is full and evicts nothing is down at every instance that serves, with
// one record that says why, until it accepts writes again. An instance always shows its own writes,
// and after that also the others'.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	binary := build(t)
	server := redistest.StartServer(t)
	a, b, _ := pairAt(t, binary, server.URL(), processtest.Patience, "", "")
	servings := []serving{a, b}
	write(a)
	readVenue(b)
	server.Do("CONFIG", "SET", "maxmemory", "1")
	for _, s := range servings {
		s.eventually("Redis is down", func() bool { readVenue(s); return s.value("calfacade_redis_up") == "0" })
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
			if up := s.value("calfacade_redis_up"); up != "0" {
				t.Errorf("redis_up is %s", up)
			}
		}
	}
	for _, s := range servings {
		if text := s.out.text(); strings.Count(text, `"msg":"redis is down`) != 1 || strings.Contains(text, `"msg":"redis is back"`) {
			t.Error("not one record of a Redis that is down")
		}
		s.expect(`"msg":"redis is down.*"error":".*OOM command not allowed`)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	for _, s := range servings {
		s.expect(`"msg":"redis is back"`)
		s.eventually("the last write is seen", func() bool { return readVenue(s) == wrote })
		s.eventually("Redis is up", func() bool { return s.value("calfacade_redis_up") == "1" })
	}
}

// TestLanguagesDiffer: an instance that serves one language of a site, and one that serves two, as while
// a configuration is rolled out: a write at either is seen in the lists of both.
func TestLanguagesDiffer(t *testing.T) {
	t.Parallel()
	binary := build(t)
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
	first := startServe(t, binary, site, config)
	file := writeConfig(t, site, config)
	text := strings.Replace(processtest.ReadFile(t, file), "/wp-json\"}]",
		"/wp-json\"}, {code: es, root: /es/wp-json, upstream: \""+site+"/es/wp-json\"}]", 1)
	file = filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	second := startServing(t, binary, "serve", "--config", file)
	spanish := second
	spanish.base = strings.Replace(second.base, "/wp-json", "/es/wp-json", 1)
	for i := range 3 {
		for index, writer := range []serving{first, second, spanish} {
			for _, s := range []serving{first, second, spanish} {
				s.get("/venues")
			}
			wrote := write(writer)
			for reader, s := range []serving{first, second, spanish} {
				if got := versionPattern.FindString(s.get("/venues")); got != wrote {
					t.Errorf("round %d: list %d shows %s after the write of %s at %d", i, reader, got, wrote, index)
				}
			}
		}
	}
}
