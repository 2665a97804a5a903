package probe_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/proxy/probe"
)

// zoneSite is a site with a REST index, and the log of the zone that reads it. Each call
// writes a record when it has ended and its result is in effect.
type zoneSite struct {
	*testing.T
	zone    *probe.Zone
	calls   atomic.Int32
	records chan struct{} // receives for each record of log
	log     *observer.ObservedLogs

	mu     sync.Mutex
	status int
	body   string
	now    time.Time
}

func newZoneSite(t *testing.T) *zoneSite {
	s := &zoneSite{T: t, records: make(chan struct{}, 10), status: http.StatusOK, now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		if r.URL.Path != "/wp-json/" {
			t.Errorf("got a call to %s", r.URL.Path)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body) // the zone shows whether it arrived
	}))
	t.Cleanup(server.Close)
	core, log := observer.New(zap.InfoLevel)
	s.log = log
	s.zone = probe.LearnZone(probe.ZoneOptions{
		Root: server.URL + "/wp-json",
		Log: zap.New(core, zap.Hooks(func(zapcore.Entry) error {
			s.records <- struct{}{}
			return nil
		})),
		Clock: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.now
		},
	})
	t.Cleanup(s.zone.Close)
	return s
}

func (s *zoneSite) respondWith(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

func (s *zoneSite) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// name returns the name of the current zone, without waiting.
func (s *zoneSite) name() string {
	if l := s.zone.Location(); l != nil {
		return l.String()
	}
	return ""
}

// lookup starts a call, waits until it has ended, and returns the zone.
func (s *zoneSite) lookup() (zone string) {
	s.Helper()
	s.name()
	<-s.records
	return s.name()
}

func TestZone(t *testing.T) {
	for _, test := range []struct {
		body, want string
		offset     time.Duration // in winter
	}{
		{`{"timezone_string":"Europe/Madrid","gmt_offset":1}`, "Europe/Madrid", time.Hour},
		{`{"timezone_string":"","gmt_offset":5.5}`, "UTC+5.5", 5*time.Hour + 30*time.Minute},
		{`{"timezone_string":"","gmt_offset":"-3"}`, "UTC-3", -3 * time.Hour},
		{`{"timezone_string":"","gmt_offset":0}`, "UTC+0", 0},
		{`{"timezone_string":"Local","gmt_offset":2}`, "UTC+2", 2 * time.Hour},
		{`{"timezone_string":"Mars/Olympus"}`, "", 0},
		{`{"gmt_offset":1000}`, "", 0},
		{`{}`, "", 0},
		{`<html>`, "", 0},
	} {
		s := newZoneSite(t)
		s.respondWith(http.StatusOK, test.body)
		if got := s.name(); got != "" {
			t.Errorf("%s: %s is known before the first call", test.body, got)
		}
		<-s.records
		if got := s.name(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.body, got, test.want)
			continue
		}
		if l := s.zone.Location(); l != nil {
			_, seconds := time.Date(2026, 1, 1, 0, 0, 0, 0, l).Zone()
			if got := time.Duration(seconds) * time.Second; got != test.offset {
				t.Errorf("%s: offset %s, want %s", test.body, got, test.offset)
			}
		}
	}
}

// TestZoneHidden: a site that responds without its zone is no site that is down.
func TestZoneHidden(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{http.StatusUnauthorized, `{"code":"rest_not_logged_in"}`, true},
		{http.StatusNotFound, "", true},
		{http.StatusFound, "", true},
		{http.StatusOK, "<html>", true},
		{http.StatusOK, "{}", true},
		{http.StatusTooManyRequests, "", false},
		{http.StatusInternalServerError, "", false},
		{http.StatusServiceUnavailable, "", false},
	} {
		s := newZoneSite(t)
		s.respondWith(test.status, test.body)
		_, err := s.zone.Await(t.Context())
		if !errors.Is(err, probe.ErrNoZone) || errors.Is(err, probe.ErrZoneHidden) != test.want {
			t.Errorf("%d %s: %v, want hidden %t", test.status, test.body, err, test.want)
		}
	}
}

// TestZoneRetries: calls to a site that fails are repeated one at a time, with a growing delay.
func TestZoneRetries(t *testing.T) {
	s := newZoneSite(t)
	s.respondWith(http.StatusInternalServerError, "")
	var got []time.Duration
	for range 9 {
		s.lookup()
		entries := s.log.FilterMessage("the time zone of the site could not be read").All()
		wait := entries[len(entries)-1].ContextMap()["asked_again_after"].(time.Duration)
		got = append(got, wait)
		s.pass(wait - 1)
		s.name() // too early
		s.pass(1)
	}
	want := []time.Duration{
		5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second,
		160 * time.Second, 320 * time.Second, 10 * time.Minute, 10 * time.Minute,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	s.zone.Close()
	if got := s.calls.Load(); int(got) != len(want) {
		t.Errorf("%d calls, want %d", got, len(want))
	}
}

// TestZoneChanges: the zone stays while the site fails, and follows a change of the site.
func TestZoneChanges(t *testing.T) {
	s := newZoneSite(t)
	s.respondWith(http.StatusOK, `{"timezone_string":"Europe/Madrid"}`)
	if got := s.lookup(); got != "Europe/Madrid" {
		t.Fatalf("got %q", got)
	}
	s.respondWith(http.StatusServiceUnavailable, "")
	s.pass(23 * time.Hour)
	if got, calls := s.name(), s.calls.Load(); got != "Europe/Madrid" || calls != 1 {
		t.Errorf("before a day has passed: %q after %d calls", got, calls)
	}
	s.pass(time.Hour)
	if got := s.lookup(); got != "Europe/Madrid" {
		t.Errorf("while the site fails: %q", got)
	}
	s.respondWith(http.StatusOK, `{"timezone_string":"Atlantic/Canary"}`)
	s.pass(time.Minute)
	if got := s.lookup(); got != "Atlantic/Canary" {
		t.Errorf("after the change: %q", got)
	}
}

// TestZoneClose: Close cancels a call that hangs, and no call follows.
func TestZoneClose(t *testing.T) {
	arrived := make(chan struct{}, 10)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer site.Close()
	core, logged := observer.New(zap.DebugLevel)
	zone := probe.LearnZone(probe.ZoneOptions{Root: site.URL, Log: zap.New(core)})
	for range 3 {
		zone.Location()
	}
	<-arrived
	zone.Close()
	if got := zone.Location(); got != nil {
		t.Errorf("got %v", got)
	}
	if len(arrived) > 0 || logged.Len() > 0 {
		t.Errorf("%d more calls, %d records", len(arrived), logged.Len())
	}
}
