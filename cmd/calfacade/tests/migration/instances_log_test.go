//go:build !race

package migration_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestDecidedElsewhere: the decision of one instance, the next request at the other one follows, be
// it where a cached read is served from, or that writes are refused.
func TestDecidedElsewhere(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	m := startMoving(t, binary, "[]", []string{"legacy", "candidate"}, false)
	m.a.Eventually("the configuration is adopted", func() bool { return m.staged(m.a).Version > 0 })
	decider := m.a
	follower := m.b
	for i, state := range []staging.State{staging.New, staging.Legacy, staging.New, staging.Legacy, staging.New, staging.Legacy} {
		body := fmt.Sprintf(`{"state":%q,"who":"anna"}`, state)
		if res, text := processtest.Send(t, m.adminRequest(decider, http.MethodPost, body)); res.StatusCode != http.StatusOK {
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
		if got := <-m.write(follower, "first"); got.Status != http.StatusServiceUnavailable ||
			!strings.Contains(got.Body, `"code":"calendar_read_only"`) {
			t.Errorf("a write in read-only mode: %+v", got)
		}
		press(follower, "read-write")
		if got := <-m.write(decider, "second"); got.Status != http.StatusOK {
			t.Errorf("a write after it: %+v", got)
		}
	}
	if n := m.sites["legacy"].count("first"); n > 0 {
		t.Errorf("%d writes reached the site in read-only mode", n)
	}
}

// press signs in to the status page, and presses a button there.
func press(s processtest.Serving, do string) {
	s.Helper()
	ask := func(path, cookie string, form url.Values) (*http.Response, string) {
		s.Helper()
		method := http.MethodGet
		if form != nil {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(s.Context(), method, s.Admin+path, strings.NewReader(form.Encode()))
		if err != nil {
			s.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie)
		res, body := processtest.Send(s.T, r)
		return res, string(body)
	}
	signed, _ := ask("/status/sign-in", "", url.Values{"token": {processtest.TestToken}})
	cookie, _, _ := strings.Cut(signed.Header.Get("Set-Cookie"), ";")
	if res, body := ask("/status/do", cookie, url.Values{"do": {do}}); res.StatusCode != http.StatusSeeOther {
		s.Fatalf("%s: %s %s", do, res.Status, body)
	}
}
