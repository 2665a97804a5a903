package edge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/problem"
)

// start is the initial time of the tests.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// refusal returns status and code of a refusal, "" for nil.
func refusal(err error) string {
	var refused *problem.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &refused):
		return "no refusal: " + err.Error()
	}
	return fmt.Sprint(refused.Status, " ", refused.Code)
}

// TestAdmit: a preflight does not count, a refusal has the fields of CORS too, and writes have
// a separate quota.
func TestAdmit(t *testing.T) {
	e := edge.New(edge.Options{
		CORS:   edge.CORS{Origins: []string{"https://www.example.org"}},
		Reads:  edge.Quota{Requests: 1, Window: time.Hour},
		Writes: edge.Quota{Requests: 1, Window: time.Hour},
	}, nil)
	for _, test := range []struct {
		method, preflight string
		answered          bool
		refused           string
	}{
		{http.MethodOptions, "GET", true, ""},
		{http.MethodGet, "", false, ""},
		{http.MethodOptions, "GET", true, ""},
		{http.MethodHead, "", false, "429 calendar_rate_limited"},
		{http.MethodDelete, "", false, ""},
		{http.MethodPost, "", false, "429 calendar_rate_limited"},
	} {
		r := httptest.NewRequest(test.method, "/", nil)
		r.Header.Set("Origin", "https://www.example.org")
		if test.preflight != "" {
			r.Header.Set("Access-Control-Request-Method", test.preflight)
		}
		w := httptest.NewRecorder()
		answered, err := e.Admit(w, r, start)
		if answered != test.answered || refusal(err) != test.refused {
			t.Errorf("%s: answered %t, refused %q", test.method, answered, refusal(err))
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "https://www.example.org" {
			t.Errorf("%s: allowed origin %q", test.method, got)
		}
		//lint:ignore SA1008 the field has this spelling in responses
		if got := strings.Join(w.Header()["RateLimit-Policy"], ""); (got == "") != test.answered {
			t.Errorf("%s: RateLimit-Policy %q", test.method, got)
		}
	}
}

// TestOrigins: a wildcard stands for whole labels, and a second Origin field is refused.
func TestOrigins(t *testing.T) {
	e := edge.New(edge.Options{CORS: edge.CORS{Origins: []string{"https://*.Example.org", "http://localhost:3000"}}}, nil)
	for origin, want := range map[string]bool{
		"https://www.example.org": true, "https://WWW.example.org": true, "https://a.b.example.org": true, "http://localhost:3000": true,
		"https://example.org": false, "https://.example.org": false, "https://a..example.org": false, "http://www.example.org": false,
		"https://www.example.org:8443": false, "https://evil.example/.example.org": false, "http://localhost:3001": false, "null": false,
	} {
		for _, lines := range [][]string{{origin}, {origin, origin}} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header["Origin"] = lines
			w := httptest.NewRecorder()
			e.SetHeader(w, r)
			if got := w.Header().Get("Access-Control-Allow-Origin") != ""; got != (want && len(lines) == 1) {
				t.Errorf("%q: allowed %t", lines, got)
			}
		}
	}
}

func TestAdmitWrite(t *testing.T) {
	for _, test := range []struct {
		options       edge.Options
		part          bool
		authenticated bool
		want          string
	}{
		{edge.Options{}, false, false, ""},
		{edge.Options{}, true, true, "400 calendar_content_range"},
		{edge.Options{ReadOnly: true}, true, true, "503 calendar_read_only"},
		{edge.Options{WritesNeedCredentials: true}, false, false, "401 rest_forbidden"},
		{edge.Options{WritesNeedCredentials: true}, false, true, ""},
	} {
		r := httptest.NewRequest(http.MethodPut, "/", nil)
		if test.part {
			r.Header.Set("Content-Range", "bytes 0-1/2")
		}
		if got := refusal(edge.New(test.options, nil).AdmitWrite(r, test.authenticated)); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// alice and bob are clients.
var (
	alice = netip.MustParseAddr("192.0.2.1")
	bob   = netip.MustParseAddr("192.0.2.2")
)

// TestAdmitUncached: a quarter is reserved for writes, and one client has at most a quarter of what is free.
func TestAdmitUncached(t *testing.T) {
	const overloaded = "503 calendar_overloaded"
	e := edge.New(edge.Options{MaxUncached: 8}, nil)
	var leave []func()
	for i, test := range []struct {
		client netip.Addr
		write  bool
		want   string
	}{
		{alice, false, ""}, {alice, false, overloaded}, {bob, false, ""}, {bob, true, overloaded},
		{netip.Addr{}, false, ""}, {netip.Addr{}, false, ""}, {netip.Addr{}, false, ""}, {netip.Addr{}, false, ""},
		{netip.Addr{}, false, overloaded}, {netip.Addr{}, true, ""}, {netip.MustParseAddr("192.0.2.3"), true, ""},
		{netip.Addr{}, true, overloaded},
	} {
		done, err := e.AdmitUncached(test.client, test.write)
		if refusal(err) != test.want {
			t.Errorf("%d: %q, want %q", i, refusal(err), test.want)
		}
		if err == nil {
			leave = append(leave, done)
		}
	}
	for _, release := range leave {
		release()
	}
	if _, err := e.AdmitUncached(alice, false); err != nil {
		t.Errorf("after all slots are released: %v", err)
	}
}

// TestBody: bytes count when they arrive, until the release. One client has at most a quarter of what is free.
func TestBody(t *testing.T) {
	e := edge.New(edge.Options{MaxBodies: 100}, nil)
	take := func(client netip.Addr, n int) (*edge.Body, string) {
		body := e.Body(client, strings.NewReader(strings.Repeat("x", n)))
		_, err := io.ReadAll(body)
		return body, refusal(err)
	}
	const overloaded = "503 calendar_overloaded"
	first, _ := take(alice, 15)
	for i, test := range []struct {
		client netip.Addr
		n      int
		want   string
	}{
		{alice, 7, overloaded}, // 15 and 7 are more than a quarter of 85
		{alice, 6, ""},
		{bob, 15, ""},
		{bob, 4, overloaded}, // 15 and 4 are more than a quarter of 64
		{alice, 0, ""},
		{netip.MustParseAddr("192.0.2.3"), 64, ""},
		{netip.MustParseAddr("192.0.2.4"), 1, overloaded},
	} {
		if _, got := take(test.client, test.n); got != test.want {
			t.Errorf("%d: got %q, want %q", i, got, test.want)
		}
	}
	first.Release()
	first.Release()
	if _, got := take(netip.MustParseAddr("192.0.2.4"), 15); got != "" {
		t.Errorf("after the release: %s", got)
	}
	if _, got := take(bob, 1); got != overloaded {
		t.Errorf("the release was counted twice: %s", got)
	}
	(*edge.Body)(nil).Release()
}

// TestSignIns: which statuses of the site are failed sign-ins, and that only requests that
// sign in are refused.
func TestSignIns(t *testing.T) {
	login := edge.Identity{Authorization: "Basic YTpi"}
	session := edge.Identity{Cookie: "wordpress_sec_x=1"}
	nonce := edge.Identity{Cookie: "wordpress_sec_x=1", Nonce: "n"}
	anonymous := edge.Identity{}
	for _, test := range []struct {
		identity edge.Identity
		password bool // of an item
		status   int
		failed   bool
	}{
		{anonymous, false, 401, false}, {login, false, 401, true}, {session, false, 401, true}, {anonymous, true, 401, true},
		{login, false, 200, false},
		{anonymous, false, 403, false}, {login, false, 403, false}, {session, false, 403, false}, {nonce, false, 403, true},
		{anonymous, true, 403, true},
		{login, true, 403, false},
	} {
		e := edge.New(edge.Options{SignIns: edge.Quota{Requests: 1, Window: time.Minute}}, func(string) {})
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		e.CountSignIn(e.Client(r), test.identity, test.password, test.status, start)
		if got := refusal(e.AdmitSignIn(r, start)); (got == "429 calendar_rate_limited") != test.failed {
			t.Errorf("%+v %d: then %q", test.identity, test.status, got)
		}
		if err := e.AdmitSignIn(r, start.Add(time.Minute)); err != nil {
			t.Errorf("%+v %d: after the window: %v", test.identity, test.status, err)
		}
	}
}

// someQuota refuses what it counts as refused.
type someQuota struct{ refuses bool }

func (q *someQuota) Take(context.Context, string, time.Duration, int) (redisstore.Allowance, error) {
	if q.refuses {
		return redisstore.Allowance{Wait: time.Second}, nil
	}
	return redisstore.Allowance{Left: 9}, nil
}

// TestAdmitRead: a read above the quota takes nothing from it, of this instance or of all, so
// that Admit counts it once.
func TestAdmitRead(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	remaining := func(e *edge.Edge) string {
		w := httptest.NewRecorder()
		_, _ = e.Admit(w, r, start)
		for name, values := range w.Header() {
			if strings.EqualFold(name, "RateLimit") {
				return values[0]
			}
		}
		return ""
	}
	quota := edge.Quota{Requests: 3, Window: time.Hour}
	alone := edge.New(edge.Options{Reads: quota}, nil)
	for _, want := range []string{`"reads";r=2;t=1200`, `"reads";r=1;t=2400`} {
		if got, ok := alone.AdmitRead(r, start); got != want || !ok {
			t.Errorf("got %s %t, want %s", got, ok, want)
		}
	}
	if got := remaining(alone); got != `"reads";r=0;t=3600` {
		t.Errorf("the last one has %s", got)
	}
	if got, ok := alone.AdmitRead(r, start); ok {
		t.Errorf("one above the quota is admitted: %s", got)
	}
	if got, ok := alone.AdmitRead(r, start.Add(20*time.Minute)); !ok || got != `"reads";r=0;t=3600` {
		t.Errorf("after a third of the window: %s %t", got, ok)
	}

	quotas := &someQuota{}
	shared := edge.New(edge.Options{Reads: quota, Shared: quotas}, nil)
	if got, ok := shared.AdmitRead(r, start); got != `"reads";r=9;t=0` || !ok {
		t.Errorf("got %s %t", got, ok)
	}
	quotas.refuses = true
	for range 5 {
		if got, ok := shared.AdmitRead(r, start); ok {
			t.Errorf("all instances refuse it, and this one admits it: %s", got)
		}
	}
	quotas.refuses = false
	for _, want := range []string{`"reads";r=9;t=0`, `"reads";r=9;t=0`, `"reads";r=0;t=3600`} {
		if got := remaining(shared); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got, ok := edge.New(edge.Options{}, nil).AdmitRead(r, start); got != "" || !ok {
		t.Errorf("without a limit: %q %t", got, ok)
	}
}
