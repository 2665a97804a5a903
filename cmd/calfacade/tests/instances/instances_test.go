//go:build !race

package instances_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// pair are two instances before one site. If they lose Redis they serve nothing from memory.
func pair(t *testing.T, binary string) (a, b processtest.Serving, site *processtest.Versions) {
	t.Helper()
	const fetch = ", without_redis: fetch"
	_, a, b, site = pairOn(t, binary, processtest.Patience, fetch, fetch)
	return a, b, site
}

// pairOn also returns the Redis. Calls of the site have a timeout, and each instance has more in its
// cache section.
func pairOn(t *testing.T, binary string, timeout time.Duration, first, second string) (server *os.Process, a, b processtest.Serving, site *processtest.Versions) {
	t.Helper()
	server, url := processtest.StartRedis(t)
	if url == "" {
		t.Skip("redis-server is not installed")
	}
	a, b, site = pairAt(t, binary, url, timeout, first, second)
	return server, a, b, site
}

// pairAt is pairOn with a Redis at a URL.
func pairAt(t *testing.T, binary, url string, timeout time.Duration, first, second string) (a, b processtest.Serving, site *processtest.Versions) {
	t.Helper()
	site = new(processtest.Versions)
	legacy := processtest.Serve(t, site)
	cfg := func(settings string) string {
		return fmt.Sprintf("updates: as_is\ncache: {redis: '%s', redis_timeout: 2s, ttl: {venues: 1h}%s}\nupstream: {timeout: "+
			"%s}\nshutdown_timeout: 2s", url, settings, timeout)
	}
	return processtest.StartServe(t, binary, legacy, cfg(first)), processtest.StartServe(t, binary, legacy, cfg(second)), site
}

// readVenue returns the version that a read shows.
func readVenue(s processtest.Serving) string {
	s.Helper()
	return processtest.VersionPattern.FindString(s.Get("/venues/12"))
}

// write makes the venue newer and returns the version that the answer shows.
func write(s processtest.Serving) string {
	s.Helper()
	got := <-beginWrite(s)
	if got.Err != nil || got.Status != http.StatusOK {
		s.Fatalf("%+v", got)
	}
	return processtest.VersionPattern.FindString(got.Body)
}

// beginWrite sends a write with credentials, and does not wait for the answer.
func beginWrite(s processtest.Serving) <-chan processtest.Outcome {
	s.Helper()
	return processtest.Begun(writeRequest(s))
}

func writeRequest(s processtest.Serving) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.Base+"/venues/12", strings.NewReader(`{"venue":"x"}`))
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
	binary := processtest.Build(t)
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
	binary := processtest.Build(t)
	a, b, _ := pair(t, binary)
	for range 3 {
		readVenue(b)
		b.Signal(syscall.SIGSTOP)
		wrote := write(a)
		var answers []<-chan processtest.Outcome
		for range 60 {
			answers = append(answers, b.Begin("/venues/12"))
		}
		b.Signal(syscall.SIGCONT)
		for _, answer := range answers {
			if got := <-answer; !strings.Contains(got.Body, wrote+`"`) {
				t.Fatalf("after a write of %s: %+v", wrote, got)
			}
		}
	}
}

// TestKilledWhileItWrites: the change of a write is seen in the end, though the instance
// that sent it is killed before it can purge.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	a, b, site := pair(t, binary)
	write(a)
	old := readVenue(b)
	done := make(chan struct{})
	site.Late = func() {
		a.Signal(syscall.SIGKILL)
		<-a.Ended
		close(done)
	}
	beginWrite(a)
	<-done
	b.Eventually("the write is seen", func() bool { return readVenue(b) != old })
}

// TestWriteTimesOut: the site carries out a write long after the client got the response that
// nobody knows is seen in the end, though it was read meanwhile.
func TestWriteTimesOut(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	_, a, b, site := pairOn(t, binary, 3*time.Second, "", "")
	write(a)
	old := readVenue(b)
	arrived := make(chan struct{})
	site.Early = func() { <-arrived }
	if got := <-beginWrite(a); got.Status != http.StatusGatewayTimeout {
		t.Errorf("%+v", got)
	}
	for _, s := range []processtest.Serving{a, b} {
		if got := readVenue(s); got != old {
			t.Errorf("%s, before the site did it", got)
		}
	}
	close(arrived)
	for _, s := range []processtest.Serving{a, b} {
		s.Eventually("the write is seen", func() bool { return readVenue(s) != old })
	}
}

// TestEndedWithoutRedis: a purge that Redis has not got when the process ends is reported as lost.
func TestEndedWithoutRedis(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	redis, a, _, _ := pairOn(t, binary, processtest.Patience, "", "")
	testwait.Signal(t, redis, syscall.SIGSTOP)
	write(a)
	const waiting = `"msg":"purges wait for redis.*","purges":1,"tags":\["en:venues",.*"venues:12"\]`
	a.Expect(waiting)
	if status := a.Stop(); status != processtest.StatusFail {
		t.Errorf("exit status %d", status)
	}
	a.Expect(`"msg":"draining"(.*\n)+.*` + waiting)
	a.Expect(`"msg":"purges have not reached redis","purges":1,"tags":\["en:venues",.*"venues:12"\]`)
	testwait.Signal(t, redis, syscall.SIGCONT)
}

// TestWriteOvertakesFetch: a read that begins after a write was answered does not get
// what the site served before it, although it waits with earlier requests.
func TestWriteOvertakesFetch(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	a, b, site := pair(t, binary)
	for _, writer := range []processtest.Serving{a, b} {
		write(writer)
		release := site.Hold(t)
		early := a.Begin("/venues/12")
		old := site.ReadVersion(t, early)
		wrote := write(writer)
		late := []<-chan processtest.Outcome{a.Begin("/venues/12"), b.Begin("/venues/12"), a.Begin("/venues/12")}
		underWay(a, 3)
		underWay(b, 1)
		release()
		if got := <-early; !strings.Contains(got.Body, old) && !strings.Contains(got.Body, wrote) {
			t.Errorf("before the write: %+v", got)
		}
		for i, answer := range late {
			if got := <-answer; !strings.Contains(got.Body, wrote+`"`) {
				t.Errorf("read %d after the write of %s: %+v", i, wrote, got)
			}
		}
	}
}

// TestPurgeOvertakesLease: a read that begins after a write waits for a fetch of the other instance
// that began before it, and is not served by that.
func TestPurgeOvertakesLease(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	a, b, site := pair(t, binary)
	for _, writer := range []processtest.Serving{a, b} {
		write(writer)
		release := site.Hold(t)
		early := a.Begin("/venues/12")
		site.ReadVersion(t, early)
		wrote := write(writer)
		late := b.Begin("/venues/12")
		underWay(b, 1)
		release()
		if got := <-late; !strings.Contains(got.Body, wrote+`"`) {
			t.Errorf("after the write of %s: %+v", wrote, got)
		}
		<-early
	}
}

// underWay waits until so many requests are under way.
func underWay(s processtest.Serving, n int) {
	s.Helper()
	s.Eventually(fmt.Sprint(n, " requests wait"), func() bool {
		return strings.Contains(s.Metrics(), fmt.Sprintf("calfacade_requests_in_flight %d\n", n))
	})
}

// TestKilledWhileItFetches: the others do not wait for an instance that was killed. They
// would have waited for 15 s while leases lived for so long.
func TestKilledWhileItFetches(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(signal.String(), func(t *testing.T) {
			a, b, site := pair(t, binary)
			release := site.Hold(t)
			site.ReadVersion(t, a.Begin("/venues/12"))
			a.Signal(signal)
			answer := b.Begin("/venues/12")
			select {
			case <-site.Reads:
			case <-time.After(10 * time.Second):
				t.Fatal("the other instance waits for the killed one")
			}
			release()
			if got := <-answer; got.Status != http.StatusOK {
				t.Errorf("%+v", got)
			}
		})
	}
}
