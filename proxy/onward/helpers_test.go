package onward

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/upstream"
)

const settle = 250 * time.Millisecond

var site = Site{PublicURL: "https://api.example.org", Languages: i18n.Site{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}}

// plainKeys are tags as they are.
type plainKeys struct{}

func (plainKeys) Purged(tags []string) []string { return tags }

func (plainKeys) All() string { return "all" }

// sharedLog is a purge log in memory, with a clock that does not stop.
type sharedLog struct {
	mu       sync.Mutex
	items    []redisstore.Item
	cursor   redisstore.Position
	begun    bool
	missed   bool
	down     bool
	holder   string
	killed   map[string]bool
	dead     map[string]bool // and their registration is over
	rejected [][]byte
	full     time.Time
}

// view is the log as one instance sees it.
type view struct {
	*sharedLog
	id string
}

var errDown = errors.New("down")

// append appends a record, as an instance of package cache encodes it.
func (l *sharedLog) append(record string) redisstore.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := redisstore.Position(time.Now().UnixMilli() << 16)
	if n := len(l.items); n > 0 && l.items[n-1].At >= at {
		at = l.items[n-1].At + 1
	}
	l.items = append(l.items, redisstore.Item{At: at, Record: []byte(record)})
	return at
}

func (l *sharedLog) set(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (v view) HoldCursor(_ context.Context, _ string, limit int) (redisstore.Segment, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.down:
		return redisstore.Segment{}, errDown
	case v.holder != "" && v.holder != v.id && !v.dead[v.holder]:
		return redisstore.Segment{At: v.cursor}, nil
	}
	v.holder = v.id
	s := redisstore.Segment{Held: true, At: v.cursor, Missed: v.missed || !v.begun, Rejected: len(v.rejected)}
	for _, i := range v.items {
		s.End = i.At
		if i.At > v.cursor && len(s.Items) < limit && !s.Missed {
			s.Items = append(s.Items, i)
		}
	}
	return s, nil
}

func (v view) MoveCursor(_ context.Context, _ string, s redisstore.Segment, n int, rejected redisstore.Rejection) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.down {
		return false, errDown
	}
	if v.holder != v.id || v.cursor != s.At {
		return false, nil
	}
	if v.cursor = s.End; !s.Missed {
		v.cursor = s.Items[n-1].At
	}
	v.begun, v.missed = true, false
	if rejected.Record != nil {
		v.rejected = append(v.rejected, rejected.Record)
	}
	return true, nil
}

func (v view) LeaveCursor(context.Context, string) error {
	v.set(func() {
		if !v.killed[v.id] {
			v.holder = ""
		}
	})
	return nil
}

func (v view) Rejected(context.Context, string) ([][]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.rejected), nil
}

func (v view) Forget(_ context.Context, _ string, records [][]byte) error {
	v.set(func() {
		v.rejected = slices.DeleteFunc(v.rejected, func(r []byte) bool {
			return slices.ContainsFunc(records, func(f []byte) bool { return bytes.Equal(r, f) })
		})
	})
	return nil
}

func (v view) Take(_ context.Context, _ string, every time.Duration, burst int) (redisstore.Allowance, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.down {
		return redisstore.Allowance{}, errDown
	}
	l := limiter{full: v.full}
	wait := l.take(Limit{burst, every * time.Duration(burst)}, time.Now())
	v.full = l.full
	return redisstore.Allowance{Wait: wait}, nil
}

func (v view) Now() time.Time { return time.Now() }

// receiver is a target in memory.
type receiver struct {
	mu      sync.Mutex
	got     []received
	answer  func() (upstream.Response, error) // nil accepts
	latency time.Duration
}

type received struct {
	at   time.Duration // since the first purge of the test could be made
	what string
}

func (r *receiver) Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error) {
	sleep(ctx, r.latency)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return upstream.Response{}, ctx.Err()
	}
	what := cmp.Or(header.Get("Xkey"), header.Get("Xkey-Soft"), header.Get("Xkey-Ban"), header.Get("Surrogate-Key"), string(body), method+" "+url)
	got := upstream.Response{Status: 200, Body: []byte(`{"success":true}`)}
	if r.answer != nil {
		var err error
		if got, err = r.answer(); err != nil {
			return got, err
		}
	}
	if got.Status < 300 {
		r.got = append(r.got, received{time.Since(start), what})
	}
	return got, nil
}

func (r *receiver) Close() {}

func (r *receiver) set(f func() (upstream.Response, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) whats() string {
	var all []string
	for _, g := range r.all() {
		all = append(all, g.what)
	}
	return strings.Join(all, "; ")
}

// start is when synctest begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func status(n int, fields ...string) func() (upstream.Response, error) {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return func() (upstream.Response, error) { return upstream.Response{Status: n, Header: h}, nil }
}

// instance is a deliverer with one target.
type instance struct {
	t      *testing.T
	to     *receiver
	log    *sharedLog
	d      *Deliverer
	source *Source
}

// newInstance begins an instance; a nil log is without Redis.
func newInstance(t *testing.T, id string, log *sharedLog, to *receiver, target Target) *instance {
	i := &instance{t: t, to: to, log: log, d: New(zap.NewNop())}
	i.d.dial = func(Target) transport { return to }
	i.source = i.d.Source()
	target.Name = cmp.Or(target.Name, "front")
	target.Kind = cmp.Or(target.Kind, Varnish)
	p := Plan{Targets: []Target{target}, Site: site, Keys: plainKeys{}, Settle: settle, Source: i.source}
	if log != nil {
		p.Log = view{log, id}
	}
	i.d.Configure(p)
	return i
}

// newLog returns a log with a cursor at its end.
func newLog() *sharedLog {
	return &sharedLog{begun: true, killed: map[string]bool{}, dead: map[string]bool{}}
}

// purge makes purges of tags at this instance.
func (i *instance) purge(tags ...string) {
	for _, tag := range tags {
		a := cache.Applied{Purge: cache.Purge{Tags: []string{tag}}, Local: true}
		if i.log != nil && !i.log.isDown() {
			a.At = i.log.append("hard2\n" + tag)
		}
		i.source.Purged(a)
	}
}

func (l *sharedLog) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// kill ends the instance as SIGKILL does.
func (i *instance) kill(id string) {
	i.log.set(func() { i.log.killed[id] = true })
	i.d.mu.Lock()
	defer i.d.mu.Unlock()
	for _, r := range i.d.running {
		r.cut()
	}
}

func (i *instance) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	i.d.Close(ctx)
}

func (i *instance) want(what, want string) {
	i.t.Helper()
	if got := i.to.whats(); got != want {
		i.t.Errorf("%s: delivered %q, want %q", what, got, want)
	}
}

// virtually runs a test with virtual time.
func virtually(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func numbered(prefix string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s%03d", prefix, i))
	}
	return all
}
