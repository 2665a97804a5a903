package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// testInstances runs two instances on one Redis, and what may happen to one of them.
func testInstances(t *testing.T, binary string) {
	t.Run("write_elsewhere", func(t *testing.T) { testWriteElsewhere(t, binary) })
	t.Run("frozen", func(t *testing.T) { testFrozen(t, binary) })
	t.Run("write_overtakes_flight", func(t *testing.T) { testWriteOvertakesFlight(t, binary) })
	t.Run("killed_while_it_fetches", func(t *testing.T) { testKilledWhileItFetches(t, binary) })
}

// versions is a site with a venue whose name a write makes newer.
type versions struct {
	mu      sync.Mutex
	version int
	gate    chan struct{} // if not nil, a read waits for it once it has read
	reads   chan int      // the version that each such read has
}

func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	if r.Method != http.MethodGet {
		v.version++
	}
	version, gate := v.version, v.gate
	v.mu.Unlock()
	if gate != nil && r.Method == http.MethodGet {
		v.reads <- version
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":12,"venue":"version %d"}`, version)
}

// hold has reads wait until release is called, or the test ends.
func (v *versions) hold(t *testing.T) (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	gate := make(chan struct{})
	v.gate, v.reads = gate, make(chan int, 100)
	release = sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.gate = nil
		close(gate)
	})
	t.Cleanup(release)
	return release
}

// pair are two instances before one site.
func pair(t *testing.T, binary string) (a, b serving, site *versions) {
	t.Helper()
	_, url := startRedis(t)
	if url == "" {
		t.Skip("redis-server is not installed")
	}
	site = new(versions)
	legacy := serveTest(t, site)
	more := fmt.Sprintf("updates: as_is\ncache: {redis: '%s', ttl: {venues: 1h}}\nadmin: {token: 0123456789abcdef}", url)
	a, b = startServe(t, binary, legacy, more), startServe(t, binary, legacy, more)
	for _, s := range []serving{a, b} {
		s.eventually("2 instances follow the log", func() bool {
			return strings.Contains(s.metrics(), "calfacade_redis_log_followers 2\n")
		})
	}
	return a, b, site
}

// eventually waits for what comes by itself.
func (s serving) eventually(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			s.Fatalf("not seen: %s", what)
		}
	}
}

func (s serving) metrics() string {
	s.Helper()
	res, err := http.Get(s.admin + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(body)
}

var versionPattern = regexp.MustCompile(`version (\d+)`)

// read gives the version that a read shows.
func (s serving) read() string {
	s.Helper()
	return versionPattern.FindString(s.get("/venues/12"))
}

// write makes the venue newer, and gives the version that the answer shows.
func (s serving) write() string {
	s.Helper()
	res, err := http.Post(s.base+"/venues/12", "application/json", strings.NewReader(`{"venue":"x"}`))
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.Fatalf("%s %s, %v", res.Status, body, err)
	}
	return versionPattern.FindString(string(body))
}

// testWriteElsewhere: what one instance has answered a write with, the other one shows.
func testWriteElsewhere(t *testing.T, binary string) {
	a, b, _ := pair(t, binary)
	for i := range 200 {
		writer, reader := a, b
		if i%2 > 0 {
			writer, reader = b, a
		}
		reader.read()
		if wrote, read := writer.write(), reader.read(); read != wrote {
			t.Fatalf("write %d was answered with %s, and then read as %s", i, wrote, read)
		}
	}
}

// testFrozen: an instance that was stopped during a write shows nothing older once it
// goes on.
func testFrozen(t *testing.T, binary string) {
	a, b, _ := pair(t, binary)
	for range 3 {
		b.read()
		b.signal(syscall.SIGSTOP)
		wrote := a.write()
		var answers []<-chan outcome
		for range 60 {
			answers = append(answers, b.begin("/venues/12"))
		}
		b.signal(syscall.SIGCONT)
		for _, answer := range answers {
			if got := <-answer; !strings.Contains(got.body, wrote+`"`) {
				t.Fatalf("after a write of %s: %+v", wrote, got)
			}
		}
	}
}

func (s serving) signal(sig syscall.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
}

// testWriteOvertakesFlight: a read that begins after a write was answered does not get
// what the site said before it, though it waits with who asked before.
func testWriteOvertakesFlight(t *testing.T, binary string) {
	a, b, site := pair(t, binary)
	for _, writer := range []serving{a, b} {
		writer.write()
		release := site.hold(t)
		before := a.begin("/venues/12")
		old := fmt.Sprint("version ", <-site.reads)
		wrote := writer.write()
		after := []<-chan outcome{a.begin("/venues/12"), b.begin("/venues/12"), a.begin("/venues/12")}
		a.underWay(3)
		b.underWay(1)
		release()
		if got := <-before; !strings.Contains(got.body, old) && !strings.Contains(got.body, wrote) {
			t.Errorf("before the write: %+v", got)
		}
		for i, answer := range after {
			if got := <-answer; !strings.Contains(got.body, wrote+`"`) {
				t.Errorf("read %d after the write of %s: %+v", i, wrote, got)
			}
		}
	}
}

// underWay waits until so many requests are under way.
func (s serving) underWay(n int) {
	s.Helper()
	s.eventually(fmt.Sprint(n, " requests wait"), func() bool {
		return strings.Contains(s.metrics(), fmt.Sprintf("calfacade_requests_in_flight %d\n", n))
	})
}

// testKilledWhileItFetches: the others do not wait for an instance that is gone. They
// would have waited for 15 s while leases lived for so long.
func testKilledWhileItFetches(t *testing.T, binary string) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(how.String(), func(t *testing.T) {
			a, b, site := pair(t, binary)
			release := site.hold(t)
			a.begin("/venues/12")
			<-site.reads
			a.signal(how)
			answer := b.begin("/venues/12")
			select {
			case <-site.reads:
			case <-time.After(10 * time.Second):
				t.Fatal("the other instance waits for who is gone")
			}
			release()
			if got := <-answer; got.status != http.StatusOK {
				t.Errorf("%+v", got)
			}
		})
	}
}
