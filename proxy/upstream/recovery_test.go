package upstream

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/mapping"
)

const pausedRoot = "https://legacy.example/wp-json"

// pausedSite responds with a status and, unless it is 200, a Retry-After of ten minutes.
type pausedSite struct{ status, calls int }

// RoundTrip implements [http.RoundTripper].
func (s *pausedSite) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	answer := &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}
	if s.status != http.StatusOK {
		answer.Header.Set("Retry-After", "600")
	}
	return answer, nil
}

// TestRecoveryFromAPause: a site that asks for ten minutes gets a few calls every five seconds in
// maintenance, which is over much earlier, and no call for the longest pause after 429. The first call that
// succeeds ends the pause.
func TestRecoveryFromAPause(t *testing.T) {
	for status, want := range map[int]int{http.StatusServiceUnavailable: 1 + 5, http.StatusTooManyRequests: 1} {
		synctest.Test(t, func(t *testing.T) {
			site := &pausedSite{status: status}
			u := New("legacy", Options{
				MaxRetryAfter: 30 * time.Second, Wrap: func(http.RoundTripper) http.RoundTripper { return site },
			}, []Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
			defer u.Close()
			call := func() (status int, err error) {
				got, _, err := u.Do(t.Context(), pausedRoot,
					Request{Request: mapping.Request{Method: http.MethodGet, Path: "/events"}, Class: Read, Anonymous: true})
				return got.Status, err
			}
			for range 29 {
				if got, err := call(); err == nil && got != status || err != nil && !errors.Is(err, ErrOpen) {
					t.Errorf("paused: %d, %v", got, err)
				}
				time.Sleep(time.Second)
			}
			if site.calls != want {
				t.Errorf("%d: %d calls in 29 s, want %d", status, site.calls, want)
			}
			site.status = http.StatusOK
			time.Sleep(time.Second)
			for range 2 * maxProbes {
				if got, err := call(); got != http.StatusOK || err != nil {
					t.Errorf("recovered: %d, %v", got, err)
				}
			}
		})
	}
}
