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
	"github.com/google/go-cmp/cmp/cmpopts"

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
	p.deliverer, p.shared = onward.New(nil), log
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

// TestReplay: /purge/replay sends again what a target has refused.
func TestReplay(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, nil)
	p.awaitRefused(1) // without Redis everything is purged at the start
	p.deliverer.Purged(p.shared, cache.Purged{Purge: cache.Purge{Tags: []string{"es:events", "events:12"}, Soft: true}, Local: true})
	p.awaitRefused(2)
	state := func(want onward.Status) {
		t.Helper()
		want.Name, want.Kind, want.Alone = "front", onward.Webhook, true
		if diff := cmp.Diff(want, p.deliverer.Couriers()[0].Status(), cmpopts.IgnoreFields(onward.Status{}, "Last")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	state(onward.Status{Refused: 2, Rejected: 2, Fault: "status 403"})
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":2,"done":false,"fault":"status 403"}]}`)
	p.status.Store(http.StatusNoContent)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":2,"done":true,"fault":""}]}`)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":0,"done":true,"fault":""}]}`)
	state(onward.Status{Delivered: 2, Done: 1, Rejected: 3})
	if got := p.received.Load(); got != 4 {
		t.Errorf("the target got %d deliveries, want 4: two, and each replay with something to send", got)
	}
	record := `"msg":"replay of purges","client":"192.0.2.1","target":"front","deliveries":2,"done":`
	if got := strings.Count(p.log.String(), record); got != 2 {
		t.Errorf("%d records of a replay: %s", got, p.log.String())
	}
}

// TestReplayRefused: it requires the token.
func TestReplayRefused(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, nil)
	p.awaitRefused(1)
	r := p.request("")
	r.URL.Path = "/purge/replay"
	r.Header.Set("Authorization", "Bearer wrong")
	if w, body := p.send(r); w.Code != http.StatusUnauthorized || strings.Contains(body, "front") {
		t.Errorf("with a wrong token: %d %s", w.Code, body)
	}
	off := httptest.NewRecorder()
	newAdmin(admin.Options{Onward: p.deliverer}).ServeHTTP(off, r)
	if off.Code != http.StatusNotFound {
		t.Errorf("without a token configured: %d", off.Code)
	}
}

// TestReplayToNobody: without targets the list is empty.
func TestReplayToNobody(t *testing.T) {
	t.Parallel()
	p := &targetTest{purgeTest: newPurgeTest(t)}
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[]}`)
}

// TestReplayWithoutRedis: while Redis does not answer, what this instance knows is sent again.
func TestReplayWithoutRedis(t *testing.T) {
	t.Parallel()
	p := newTargetTest(t, http.StatusForbidden, awayLog{})
	p.deliverer.Purged(p.shared, cache.Purged{Purge: cache.Purge{Tags: []string{"events:12"}}, Local: true})
	p.awaitRefused(1)
	p.status.Store(http.StatusOK)
	p.want(http.MethodPost, "/purge/replay", 200, `{"replayed":[{"target":"front","deliveries":1,"done":true,"fault":""}]}`)
}

// awayLog is a purge log in a Redis that does not answer.
type awayLog struct{}

var errAway = errors.New("dial tcp: opensesame")

func (awayLog) ReadGroup(context.Context, string, int) (redisstore.Batch, error) {
	return redisstore.Batch{}, errAway
}

func (awayLog) Acknowledge(context.Context, string, redisstore.Batch, string, string) error {
	return errAway
}

func (awayLog) Rejected(context.Context, string) ([]string, error) { return nil, errAway }

func (awayLog) Forget(context.Context, string, []string) error { return errAway }

func (awayLog) Take(context.Context, string, time.Duration, int) (redisstore.Allowance, error) {
	return redisstore.Allowance{}, errAway
}
