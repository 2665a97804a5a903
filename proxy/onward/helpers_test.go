package onward

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

func TestMain(m *testing.M) { testwait.MainIdle(m) }

const base = "https://api.example.org"

var languages = i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}}

// plainKeys are tags as they are.
type plainKeys struct{}

func (plainKeys) PurgedKeys(tags []string) []string { return tags }

func (plainKeys) All() string { return "all" }

// sharedLog is a purge log in memory, with a clock that does not stop. It does what the group of a
// redisstore.Store does, which has tests of its own.
type sharedLog struct {
	mu       sync.Mutex
	items    []redisstore.Item
	pending  map[redisstore.Position]string // who has read it
	position redisstore.Position            // everything up to it was read
	missed   bool
	down     bool
	dead     map[string]bool
	letters  []string
	full     time.Time
	reads    int
}

// view is the log as one instance sees it.
type view struct {
	*sharedLog
	id string
}

var errDown = errors.New("down")

// newLog returns a log with a group at its end.
func newLog() *sharedLog {
	return &sharedLog{pending: map[redisstore.Position]string{}, dead: map[string]bool{}}
}

// append appends a record, as an instance of package cache encodes it.
func (l *sharedLog) append(record string) redisstore.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	position := redisstore.Position(time.Now().UnixMilli() << 16)
	if n := len(l.items); n > 0 && l.items[n-1].At >= position {
		position = l.items[n-1].At + 1
	}
	l.items = append(l.items, redisstore.Item{At: position, Record: []byte(record)})
	return position
}

// recordOf returns a record that purges tags, as package cache encodes it.
func recordOf(tags ...string) string {
	list, _ := json.Marshal(tags)
	return `{"v":3,"tags":` + string(list) + `}`
}

func (l *sharedLog) set(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (v view) ReadGroup(_ context.Context, _ string, limit int) (redisstore.GroupRead, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reads++
	if v.down {
		return redisstore.GroupRead{}, errDown
	}
	b := redisstore.GroupRead{Rejected: len(v.letters)}
	if v.missed {
		position := redisstore.Position(time.Now().UnixMilli() << 16)
		v.missed = false
		v.items = []redisstore.Item{{At: position, Mark: true}}
		v.pending = map[redisstore.Position]string{}
	}
	b.Done = v.position
	for _, i := range v.items {
		owner, pending := v.pending[i.At]
		if pending {
			b.Done = min(b.Done, i.At-1)
		}
		if len(b.Items) < limit && (i.At > v.position || pending && (owner == v.id || v.dead[owner])) {
			v.pending[i.At], v.position = v.id, max(v.position, i.At)
			b.Items = append(b.Items, i)
		}
	}
	return b, nil
}

func (v view) Acknowledge(_ context.Context, _ string, b redisstore.GroupRead, letter, _ string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.down {
		return errDown
	}
	for _, i := range b.Items {
		delete(v.pending, i.At)
	}
	if letter != "" {
		v.letters = append(v.letters, letter)
	}
	return nil
}

func (v view) Rejected(context.Context, string) ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.letters), nil
}

func (v view) Forget(_ context.Context, _ string, records []string) error {
	v.set(func() {
		v.letters = slices.DeleteFunc(v.letters, func(l string) bool { return slices.Contains(records, l) })
	})
	return nil
}

func (v view) Take(_ context.Context, _ string, interval time.Duration, burst int) (redisstore.Allowance, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.down {
		return redisstore.Allowance{}, errDown
	}
	now := time.Now()
	if v.full.Before(now) {
		v.full = now
	}
	end := v.full.Add(interval)
	if wait := end.Sub(now.Add(interval * time.Duration(burst))); wait > 0 {
		return redisstore.Allowance{Wait: wait}, nil
	}
	v.full = end
	return redisstore.Allowance{}, nil
}

// receiver is a target in memory.
type receiver struct {
	mu      sync.Mutex
	got     []received
	answer  func() (upstream.Response, error) // nil accepts
	latency time.Duration
}

type received struct {
	delay time.Duration // since the first purge of the test could be made
	name  string
}

func (r *receiver) Send(ctx context.Context, method, url string, header http.Header, body []byte) (upstream.Response, error) {
	upstream.Sleep(ctx, r.latency)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return upstream.Response{}, ctx.Err()
	}
	keys := header.Get("Xkey")
	soft := header.Get("Xkey-Soft")
	ban := header.Get("Xkey-Ban")
	surrogate := header.Get("Surrogate-Key")
	text := string(body)
	name := cmp.Or(keys, soft, ban, surrogate, text, method+" "+url)
	got := upstream.Response{Reply: mapping.Reply{Status: 200, Body: []byte(`{"success":true}`)}}
	if r.answer != nil {
		var err error
		if got, err = r.answer(); err != nil {
			return got, err
		}
	}
	if got.Status < 300 {
		r.got = append(r.got, received{delay: time.Since(start), name: name})
	}
	return got, nil
}

func (r *receiver) Close() {}

func (r *receiver) set(f func() (upstream.Response, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

func (r *receiver) purges() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) whats() string {
	var lines []string
	for _, g := range r.purges() {
		lines = append(lines, g.name)
	}
	return strings.Join(lines, "; ")
}

// start is when synctest begins.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func status(n int, fields ...string) func() (upstream.Response, error) {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return func() (upstream.Response, error) {
		return upstream.Response{Reply: mapping.Reply{Status: n, Header: h}}, nil
	}
}

// instance is a deliverer with one target.
type instance struct {
	t        *testing.T
	receiver *receiver
	log      *sharedLog
	d        *Deliverer
}

// newInstance begins an instance; a nil log is without Redis.
func newInstance(t *testing.T, id string, log *sharedLog, receiver *receiver, target Target) *instance {
	i := &instance{t: t, receiver: receiver, log: log, d: New(zap.NewNop())}
	i.d.dial = func(Target) transport { return receiver }
	target.Name = cmp.Or(target.Name, "front")
	target.Kind = cmp.Or(target.Kind, Varnish)
	i.d.Configure(Plan{Targets: []Target{target}, PublicURL: base, Languages: languages, Keys: plainKeys{}, Log: viewOf(log, id)})
	synctest.Wait() // for its first check: what the test appends comes after it
	return i
}

func viewOf(log *sharedLog, id string) Log {
	if log == nil {
		return nil
	}
	return view{sharedLog: log, id: id}
}

// purged applies a purge in the cache of the instance.
func (i *instance) purged(a cache.Purged) { i.d.Purged(i.d.shared, a) }

// purge makes purges of tags at this instance.
func (i *instance) purge(tags ...string) {
	for _, tag := range tags {
		a := cache.Purged{Purge: cache.Purge{Tags: []string{tag}}, Local: true}
		if i.log != nil && !i.log.isDown() {
			a.At = i.log.append(recordOf(tag))
		}
		i.purged(a)
	}
}

func (l *sharedLog) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

func (i *instance) letters() []Letter { return i.d.couriers[0].Letters(i.t.Context()) }

func (i *instance) replay() Replayed { return i.d.couriers[0].Replay(i.t.Context()) }

// kill ends the instance as SIGKILL does.
func (i *instance) kill() {
	for _, c := range i.d.couriers {
		c.stop()
		<-c.done
	}
}

func (i *instance) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	i.d.Close(ctx)
}

func (i *instance) want(name, want string) {
	i.t.Helper()
	if got := i.receiver.whats(); got != want {
		i.t.Errorf("%s: delivered %q, want %q", name, got, want)
	}
}

// virtually runs a test with virtual time.
func virtually(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func numbered(prefix string, n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s%03d", prefix, i))
	}
	return lines
}
