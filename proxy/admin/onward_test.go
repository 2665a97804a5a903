package admin_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/onward"
)

// targetTest is an admin interface with a target of purges. Its requests must show no secret.
type targetTest struct {
	*purgeTest
	deliverer *onward.Deliverer
	shared    onward.Log
	status    atomic.Int32 // that the target responds with
	received  atomic.Int32
}

// newTargetTest starts a target that responds with a status. With a log, purges come from the log.
func newTargetTest(t *testing.T, status int, log onward.Log) *targetTest {
	p := &targetTest{purgeTest: newPurgeTest(t)}
	p.status.Store(int32(status))
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.received.Add(1)
		w.WriteHeader(int(p.status.Load()))
		_, _ = w.Write([]byte("opensesame is refused"))
	}))
	t.Cleanup(target.Close)
	p.deliverer = onward.New(nil)
	p.shared = log
	p.deliverer.Configure(onward.Plan{
		Targets: []onward.Target{{Name: "front", Kind: onward.Webhook, URL: target.URL + "/opensesame", Token: "opensesame",
			Secret: "opensesame", Timeout: testwait.Limit}},
		Log: log,
	})
	t.Cleanup(func() { p.deliverer.Close(context.Background()) })
	p.options.Onward = p.deliverer
	return p
}

var timePattern = regexp.MustCompile(`"20\d\d-[^"]*Z"`)

// call sends a request to the interface, and returns its status and body, with times left out.
func (p *targetTest) call(method, path string) (int, string) {
	p.Helper()
	r := p.request("")
	r.Method, r.URL.Path = method, path
	w, body := p.send(r)
	return w.Code, timePattern.ReplaceAllString(body, `"TIME"`)
}

func (p *targetTest) want(method, path string, status int, want string) {
	p.Helper()
	if got, body := p.call(method, path); got != status || body != want {
		p.Errorf("%s %s: %d, want %d (-want +got):\n%s", method, path, got, status, cmp.Diff(want, body))
	}
}

func (p *targetTest) awaitRefused(n int) {
	p.Helper()
	testwait.Until(p.T, "it is refused", func() bool {
		s := p.deliverer.Couriers()[0].Status()
		return s.Refused == n && s.Waiting == 0
	})
}

// TestPurgeTargets: /purge/targets lists the purges that a target has refused, and /purge/replay sends them again.
func TestPurgeTargets(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, nil)
	p.awaitRefused(1) // without Redis everything is purged at the start
	p.deliverer.Purged(p.shared, cache.Purged{Purge: cache.Purge{Tags: []string{"es:events", "events:12"}, Soft: true}, Local: true})
	p.awaitRefused(2)
	const everything = `{"time":"TIME","purges":1,"all":true,"soft":false,"tags":[],"status":403}`
	const tagged = `{"time":"TIME","purges":1,"all":false,"soft":true,"tags":["es:events","events:12"],"status":403}`
	const target = `{"targets":[{"name":"front","type":"webhook","waiting":0,"lag_seconds":0,`
	p.want(http.MethodGet, "/purge/targets", 200, target+
		`"refused":2,"delivered":0,"done":0,"failed":0,"rejected":2,"last":"TIME","fault":"status 403","refusals":[`+everything+`,`+tagged+`]}]}`)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":2,"done":false,"fault":"status 403"}]}`)
	p.status.Store(http.StatusNoContent)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":2,"done":true,"fault":""}]}`)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":0,"done":true,"fault":""}]}`)
	p.want(http.MethodGet, "/purge/targets", 200, target+
		`"refused":0,"delivered":2,"done":1,"failed":0,"rejected":3,"last":"TIME","fault":"","refusals":[]}]}`)
	if got := p.received.Load(); got != 4 {
		t.Errorf("the target got %d deliveries, want 4: two, and each replay with something to send", got)
	}
	record := `"msg":"replay of purges","client":"192.0.2.1","target":"front","deliveries":2,"done":`
	if got := strings.Count(p.log.String(), record); got != 2 {
		t.Errorf("%d records of a replay: %s", got, p.log.String())
	}
}

// TestPurgeTargetsRefused: both require the token and their method.
func TestPurgeTargetsRefused(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, nil)
	p.awaitRefused(1)
	for path, method := range map[string]string{"/purge/targets": http.MethodGet, "/purge/replay": http.MethodPost} {
		for _, wrong := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			w := httptest.NewRecorder()
			r := p.request("")
			r.Method, r.URL.Path = wrong, path
			newAdmin(p.options).ServeHTTP(w, r)
			if wrong != method && (w.Code != http.StatusMethodNotAllowed || strings.Contains(w.Body.String(), "front")) {
				t.Errorf("%s %s: %d %s", wrong, path, w.Code, w.Body)
			}
		}
		r := p.request("")
		r.Method, r.URL.Path = method, path
		r.Header.Set("Authorization", "Bearer wrong")
		if w, body := p.send(r); w.Code != http.StatusUnauthorized || strings.Contains(body, "front") {
			t.Errorf("%s %s with a wrong token: %d %s", method, path, w.Code, body)
		}
		off := httptest.NewRecorder()
		newAdmin(options{Options: admin.Options{Onward: p.deliverer}}).ServeHTTP(off, r)
		if off.Code != http.StatusNotFound {
			t.Errorf("%s without a token configured: %d", path, off.Code)
		}
	}
}

// TestNoPurgeTargets: both are empty lists.
func TestNoPurgeTargets(t *testing.T) {
	t.Parallel()
	p := &targetTest{purgeTest: newPurgeTest(t)}
	p.want(http.MethodGet, "/purge/targets", 200, `{"targets":[]}`)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[]}`)
}

// TestPurgeTargetsWithoutRedis: while Redis does not answer, what this instance knows is listed and
// sent again.
func TestPurgeTargetsWithoutRedis(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, awayLog{})
	p.deliverer.Purged(p.shared, cache.Purged{Purge: cache.Purge{Tags: []string{"events:12"}}, Local: true})
	p.awaitRefused(1)
	if status, body := p.call(http.MethodGet, "/purge/targets"); status != 200 || !strings.Contains(body, `"tags":["events:12"]`) {
		t.Errorf("%d %s", status, body)
	}
	p.status.Store(http.StatusOK)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":1,"done":true,"fault":""}]}`)
}

// awayLog is a purge log in a Redis that does not answer.
type awayLog struct{}

var errAway = errors.New("dial tcp: opensesame")

func (awayLog) ReadGroup(context.Context, string, int) (redisstore.GroupRead, error) {
	return redisstore.GroupRead{}, errAway
}

func (awayLog) Acknowledge(context.Context, string, redisstore.GroupRead, string, string) error {
	return errAway
}

func (awayLog) Rejected(context.Context, string) ([]string, error) { return nil, errAway }

func (awayLog) Forget(context.Context, string, []string) error { return errAway }

func (awayLog) Take(context.Context, string, time.Duration, int) (redisstore.Allowance, error) {
	return redisstore.Allowance{}, errAway
}
