package admin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

// listed returns the purges that the page lists.
func (o *operator) listed() []string {
	o.Helper()
	_, list, _ := strings.Cut(o.page(), `id="purges"`)
	list, _, _ = strings.Cut(list, "</ul>")
	return strings.Split(list, "<li>")[1:]
}

// TestStatusPurgeOnce: a purge that arrives several times is one, which says that this process has made it.
func TestStatusPurgeOnce(t *testing.T) {
	position := redisstore.Position(1_700_000_000_000 << 16)
	received := cache.Purged{Purge: cache.Purge{Tags: []string{"a"}}, ID: "1", At: position, Time: position.Time()}
	local := received
	local.From = "write"
	local.Local = true
	waits := local
	waits.At = 0
	for name, list := range map[string][]cache.Purged{
		"made, then received":              {local, received},
		"received, then made":              {received, local},
		"waited, then sent, then received": {waits, local, received},
	} {
		o := newOperator(t)
		o.signIn()
		for _, p := range list {
			o.state.Purged(p)
		}
		if got := o.listed(); len(got) != 1 || !strings.Contains(got[0], "by a write") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestStatusPurgesBounded: a log that is read again from its beginning, as after a gap, lists the last purges once.
func TestStatusPurgesBounded(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	for range 2 {
		for i := range 100 {
			position := redisstore.Position(i+1) << 16
			tags := []string{fmt.Sprint("number-", i)}
			o.state.Purged(cache.Purged{Purge: cache.Purge{Tags: tags}, ID: fmt.Sprint(i), At: position, Time: position.Time()})
		}
	}
	got := o.listed()
	if len(got) != 50 {
		t.Fatalf("%d are listed", len(got))
	}
	for i, line := range got {
		if want := fmt.Sprintf("number-%d<", 99-i); !strings.Contains(line, want) {
			t.Errorf("line %d: %s, want %s", i, line, want)
		}
	}
}

// TestStatusPurgesOfInstances: the page marks purges of other instances, and lists one that waited for Redis once.
func TestStatusPurgesOfInstances(t *testing.T) {
	server := redistest.StartServer(t)
	line := redistest.StartRelay(t, server.Address)
	prefix := redistest.FreshPrefix()
	start := func(address string) (*operator, *cache.Cache) {
		r, err := redisstore.Open(redisstore.Options{URLs: []string{"redis://" + address}, Prefix: prefix})
		o := newOperator(t)
		o.signIn()
		c := cache.New(cache.Options{Shared: redistest.Closing(t, r, err), Purged: o.state.Purged})
		t.Cleanup(c.Close)
		return o, c
	}
	first, c := start(line.Address)
	second, secondCache := start(server.Address)
	c.Purge(t.Context(), cache.Purge{Tags: []string{"a"}, From: "write"})
	line.Cut(true)
	c.Purge(t.Context(), cache.Purge{Tags: []string{"b"}, From: "page"})
	if got := first.listed(); len(got) != 2 {
		t.Errorf("while Redis is down: %q", got)
	}
	line.Cut(false)
	testwait.Until(t, "the other instance receives both", func() bool {
		return c.ReadLog() && secondCache.ReadLog() && len(second.listed()) == 2
	})
	secondCache.Purge(t.Context(), cache.Purge{All: true, From: "http"})
	testwait.Until(t, "the first instance receives it", func() bool { return c.ReadLog() && len(first.listed()) == 3 })
	if got := first.listed(); !slices.EqualFunc(got, []string{"by another instance", "by this page", "by a write"}, strings.Contains) {
		t.Errorf("here: %q", got)
	}
	if got := second.listed(); !slices.EqualFunc(got, []string{"by HTTP", "by another instance", "by another instance"}, strings.Contains) {
		t.Errorf("there: %q", got)
	}
}
