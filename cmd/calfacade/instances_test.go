package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// versions is a site with a venue; a write makes its name newer.
type versions struct {
	mu      sync.Mutex
	version int
	gate    chan struct{} // if not nil, a read waits for it once it has read
	reads   chan int      // the version that each such read has

	early, late func() // if not nil, called before and after a write is done
}

func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	write := r.Method != http.MethodGet
	if write && v.early != nil {
		v.early()
	}
	v.mu.Lock()
	if write {
		v.version++
	}
	version := v.version
	gate := v.gate
	v.mu.Unlock()
	if write && v.late != nil {
		v.late()
	}
	if gate != nil && !write {
		v.reads <- version
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	proxytest.WriteItem(w, `{"id":12,"venue":"version %d"}`, version)
}

// hold has reads wait until release is called, or the test ends.
func (v *versions) hold(t *testing.T) (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	gate := make(chan struct{})
	v.gate = gate
	v.reads = make(chan int, 100)
	release = sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.gate = nil
		close(gate)
	})
	t.Cleanup(release)
	return release
}

// readVersion returns the response to a read that is held. instead is the answer to the request that causes it.
func (v *versions) readVersion(t *testing.T, instead <-chan outcome) string {
	t.Helper()
	select {
	case version := <-v.reads:
		return fmt.Sprint("version ", version)
	case got := <-instead:
		t.Fatalf("the site was not read: %+v", got)
		return ""
	}
}

// pair are two instances before one site. If they lose Redis they serve nothing from memory.
func pair(t *testing.T, binary string) (a, b serving, site *versions) {
	t.Helper()
	const fetch = ", without_redis: fetch"
	_, a, b, site = pairOn(t, binary, processtest.Patience, fetch, fetch)
	return a, b, site
}

// pairOn also returns the Redis. Calls of the site have a timeout, and each instance has more in its
// cache section.
func pairOn(t *testing.T, binary string, timeout time.Duration, first, second string) (server *os.Process, a, b serving, site *versions) {
	t.Helper()
	server, url := processtest.StartRedis(t)
	if url == "" {
		t.Skip("redis-server is not installed")
	}
	a, b, site = pairAt(t, binary, url, timeout, first, second)
	return server, a, b, site
}

// pairAt is pairOn with a Redis at a URL.
func pairAt(t *testing.T, binary, url string, timeout time.Duration, first, second string) (a, b serving, site *versions) {
	t.Helper()
	site = new(versions)
	legacy := processtest.Serve(t, site)
	cfg := func(settings string) string {
		return fmt.Sprintf("updates: as_is\ncache: {redis: '%s', redis_timeout: 2s, ttl: {venues: 1h}%s}\nupstream: {timeout: "+
			"%s}\nshutdown_timeout: 2s", url, settings, timeout)
	}
	return startServe(t, binary, legacy, cfg(first)), startServe(t, binary, legacy, cfg(second)), site
}

func (s serving) eventually(condition string, ok func() bool) {
	s.Helper()
	processtest.Eventually(s.T, condition, ok)
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

// readVenue returns the version that a read shows.
func readVenue(s serving) string {
	s.Helper()
	return versionPattern.FindString(s.get("/venues/12"))
}

// write makes the venue newer and returns the version that the answer shows.
func write(s serving) string {
	s.Helper()
	got := <-beginWrite(s)
	if got.err != nil || got.status != http.StatusOK {
		s.Fatalf("%+v", got)
	}
	return versionPattern.FindString(got.body)
}

// beginWrite sends a write with credentials, and does not wait for the answer.
func beginWrite(s serving) <-chan outcome {
	s.Helper()
	return begun(writeRequest(s))
}

func writeRequest(s serving) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.base+"/venues/12", strings.NewReader(`{"venue":"x"}`))
	if err != nil {
		s.Fatal(err)
	}
	r.SetBasicAuth("editor", "secret")
	r.Header.Set("Content-Type", "application/json")
	return r
}

// TestWriteElsewhere: the other instance shows the answer to a write.
func TestWriteElsewhere(t *testing.T) {
	t.Parallel()
	binary := build(t)
	a, b, _ := pair(t, binary)
	for i := range 200 {
		writer, reader := a, b
		if i%2 > 0 {
			writer, reader = b, a
		}
		readVenue(reader)
		if wrote, name := write(writer), readVenue(reader); name != wrote {
			t.Fatalf("write %d was answered with %s, and then read as %s", i, wrote, name)
		}
	}
}

// TestFrozen: an instance that was stopped during a write shows nothing older once it
// goes on.
func TestFrozen(t *testing.T) {
	t.Parallel()
	binary := build(t)
	a, b, _ := pair(t, binary)
	for range 3 {
		readVenue(b)
		b.signal(syscall.SIGSTOP)
		wrote := write(a)
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

// TestKilledWhileItWrites: the change of a write is seen in the end, though the instance
// that sent it is killed before it can purge.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	binary := build(t)
	a, b, site := pair(t, binary)
	write(a)
	old := readVenue(b)
	done := make(chan struct{})
	site.late = func() {
		a.signal(syscall.SIGKILL)
		<-a.ended
		close(done)
	}
	beginWrite(a)
	<-done
	b.eventually("the write is seen", func() bool { return readVenue(b) != old })
}

// TestWriteTimesOut: the site carries out a write long after the client got the response that
// nobody knows is seen in the end, though it was read meanwhile.
func TestWriteTimesOut(t *testing.T) {
	t.Parallel()
	binary := build(t)
	_, a, b, site := pairOn(t, binary, 3*time.Second, "", "")
	write(a)
	old := readVenue(b)
	arrived := make(chan struct{})
	site.early = func() { <-arrived }
	if got := <-beginWrite(a); got.status != http.StatusGatewayTimeout {
		t.Errorf("%+v", got)
	}
	for _, s := range []serving{a, b} {
		if got := readVenue(s); got != old {
			t.Errorf("%s, before the site did it", got)
		}
	}
	close(arrived)
	for _, s := range []serving{a, b} {
		s.eventually("the write is seen", func() bool { return readVenue(s) != old })
	}
}

// TestEndedWithoutRedis: a purge that Redis has not got when the process ends is reported as lost.
func TestEndedWithoutRedis(t *testing.T) {
	t.Parallel()
	binary := build(t)
	redis, a, _, _ := pairOn(t, binary, processtest.Patience, "", "")
	testwait.Signal(t, redis, syscall.SIGSTOP)
	write(a)
	const waiting = `"msg":"purges wait for redis.*","purges":1,"tags":\["en:venues",.*"venues:12"\]`
	a.expect(waiting)
	if status := a.stop(); status != statusFail {
		t.Errorf("exit status %d", status)
	}
	a.expect(`"msg":"draining"(.*\n)+.*` + waiting)
	a.expect(`"msg":"purges have not reached redis","purges":1,"tags":\["en:venues",.*"venues:12"\]`)
	testwait.Signal(t, redis, syscall.SIGCONT)
}

func (s serving) signal(sig syscall.Signal) {
	s.Helper()
	testwait.Signal(s.T, s.cmd.Process, sig)
}

// TestWriteOvertakesFetch: a read that begins after a write was answered does not get
// what the site served before it, although it waits with earlier requests.
func TestWriteOvertakesFetch(t *testing.T) {
	t.Parallel()
	binary := build(t)
	a, b, site := pair(t, binary)
	for _, writer := range []serving{a, b} {
		write(writer)
		release := site.hold(t)
		early := a.begin("/venues/12")
		old := site.readVersion(t, early)
		wrote := write(writer)
		late := []<-chan outcome{a.begin("/venues/12"), b.begin("/venues/12"), a.begin("/venues/12")}
		underWay(a, 3)
		underWay(b, 1)
		release()
		if got := <-early; !strings.Contains(got.body, old) && !strings.Contains(got.body, wrote) {
			t.Errorf("before the write: %+v", got)
		}
		for i, answer := range late {
			if got := <-answer; !strings.Contains(got.body, wrote+`"`) {
				t.Errorf("read %d after the write of %s: %+v", i, wrote, got)
			}
		}
	}
}

// TestPurgeOvertakesLease: a read that begins after a write waits for a fetch of the other instance
// that began before it, and is not served by that.
func TestPurgeOvertakesLease(t *testing.T) {
	t.Parallel()
	binary := build(t)
	a, b, site := pair(t, binary)
	for _, writer := range []serving{a, b} {
		write(writer)
		release := site.hold(t)
		early := a.begin("/venues/12")
		site.readVersion(t, early)
		wrote := write(writer)
		late := b.begin("/venues/12")
		underWay(b, 1)
		release()
		if got := <-late; !strings.Contains(got.body, wrote+`"`) {
			t.Errorf("after the write of %s: %+v", wrote, got)
		}
		<-early
	}
}

// underWay waits until so many requests are under way.
func underWay(s serving, n int) {
	s.Helper()
	s.eventually(fmt.Sprint(n, " requests wait"), func() bool {
		return strings.Contains(s.metrics(), fmt.Sprintf("calfacade_requests_in_flight %d\n", n))
	})
}

// TestKilledWhileItFetches: the others do not wait for an instance that was killed. They
// would have waited for 15 s while leases lived for so long.
func TestKilledWhileItFetches(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(signal.String(), func(t *testing.T) {
			a, b, site := pair(t, binary)
			release := site.hold(t)
			site.readVersion(t, a.begin("/venues/12"))
			a.signal(signal)
			answer := b.begin("/venues/12")
			select {
			case <-site.reads:
			case <-time.After(10 * time.Second):
				t.Fatal("the other instance waits for the killed one")
			}
			release()
			if got := <-answer; got.status != http.StatusOK {
				t.Errorf("%+v", got)
			}
		})
	}
}
