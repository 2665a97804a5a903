package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// groups are two instances that read the log of one server for a group.
type groups struct {
	t      *testing.T
	server *redistest.Server // the one that has the log
	a, b   *Store
}

const groupName = "front"

func startGroups(t *testing.T) *groups {
	t.Parallel()
	server := redistest.StartServer(t)
	o := Options{URLs: []string{server.URL()}, Prefix: redistest.FreshPrefix(), Brief: aLongTime, Timeout: aLongTime}
	return &groups{t: t, server: server, a: open(t, o), b: open(t, o)}
}

// begin makes the group, at the end of the log.
func (g *groups) begin() {
	g.t.Helper()
	g.append("0")
	b := g.readBatch(g.a)
	g.want("the first time", b, "!")
	g.done(g.a, b)
}

func (g *groups) append(records ...string) {
	g.t.Helper()
	for _, r := range records {
		_, err := g.b.Append(context.Background(), []byte(r))
		must(g.t, err)
	}
}

func (g *groups) readBatch(s *Store) GroupRead {
	g.t.Helper()
	b, err := s.ReadGroup(context.Background(), groupName, 4)
	must(g.t, err)
	return b
}

func (g *groups) done(s *Store, b GroupRead) {
	g.t.Helper()
	must(g.t, s.Acknowledge(context.Background(), groupName, b, "", ""))
}

// text shows a batch: its records, "!" for a mark, and "-" for another item.
func (b GroupRead) text() string {
	var parts []string
	for _, i := range b.Items {
		switch {
		case i.Mark:
			parts = append(parts, "!")
		case i.Record == nil:
			parts = append(parts, "-")
		default:
			parts = append(parts, string(i.Record))
		}
	}
	return strings.Join(parts, " ")
}

func (g *groups) want(name string, b GroupRead, want string) {
	g.t.Helper()
	if got := b.text(); got != want {
		g.t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// die makes a instance one that has not read for longer than the time after which others take over.
func (g *groups) die(s *Store) {
	g.t.Helper()
	for _, i := range g.readBatch(s).Items {
		g.server.Do("XCLAIM", s.logKey, groupName, s.id, 0, i.At.id(), "IDLE", Abandoned.Milliseconds(), "JUSTID")
	}
}

// TestGroup: each item goes to one instance, again until it is acknowledged.
func TestGroup(t *testing.T) {
	g := startGroups(t)
	g.begin()
	g.want("at the end", g.readBatch(g.a), "")
	g.append("1", "2")
	first := g.readBatch(g.a)
	g.want("one instance", first, "1 2")
	g.append("3")
	g.want("the other", g.readBatch(g.b), "3")
	g.want("not acknowledged", g.readBatch(g.a), "1 2")
	g.append("4", "5", "6", "7", "8")
	g.want("with more", g.readBatch(g.a), "1 2 4 5 6 7")
	g.done(g.a, first)
	g.want("with the rest", g.readBatch(g.a), "4 5 6 7 8")
	b := g.readBatch(g.b)
	g.want("the other", b, "3")
	if b.Done < first.Items[1].At || b.Done >= b.Items[0].At {
		t.Errorf("all up to %d are done, want %d", b.Done, first.Items[1].At)
	}
	g.done(g.b, b)
	g.done(g.a, g.readBatch(g.a))
	last := g.readBatch(g.a)
	g.want("more than the limit", last, "8")
	g.done(g.a, last)
	if b := g.readBatch(g.b); b.text() != "" || b.Done != last.Items[0].At {
		t.Errorf("in the end: %q, all up to %d are done, want %d", b.text(), b.Done, last.Items[0].At)
	}
}

// TestGroupConcurrently: whatever instances do at the same time, each record goes to one of them.
func TestGroupConcurrently(t *testing.T) {
	g := startGroups(t)
	g.begin()
	var mu sync.Mutex
	var got, want []string
	var group sync.WaitGroup
	for _, s := range []*Store{g.a, g.b} {
		group.Go(func() {
			for mine, n := 0, 0; n < 50 || mine > 0; n++ {
				if n < 50 {
					_, err := s.Append(t.Context(), fmt.Appendf(nil, "%p-%d", s, n))
					must(t, err)
				}
				b := g.readBatch(s)
				g.done(s, b)
				mu.Lock()
				for _, i := range b.Items {
					got = append(got, string(i.Record))
				}
				mu.Unlock()
				mine = len(b.Items)
			}
		})
		for n := range 50 {
			want = append(want, fmt.Sprintf("%p-%d", s, n))
		}
	}
	group.Wait()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d records %q, want %d", len(got), got, len(want))
	}
}

// TestGroupOfTheDead: items that an instance has left go to another one, and its name is forgotten.
func TestGroupOfTheDead(t *testing.T) {
	g := startGroups(t)
	g.begin()
	g.append("1", "2")
	g.want("who dies", g.readBatch(g.a), "1 2")
	g.want("before", g.readBatch(g.b), "")
	g.die(g.a)
	b := g.readBatch(g.b)
	g.want("who is left", b, "1 2")
	g.want("who was dead", g.readBatch(g.a), "")
	g.done(g.b, b)
	if n := len(g.server.Do("XINFO", "CONSUMERS", g.a.logKey, groupName).([]any)); n != 2 {
		t.Errorf("%d instances are known, want 2", n)
	}
}

// TestGroupMissed: an item that may be gone is reported to one instance, until it has acknowledged it.
func TestGroupMissed(t *testing.T) {
	for name, damage := range map[string]func(*groups){
		"trimmed": func(g *groups) { g.server.Do("XTRIM", g.a.logKey, "MAXLEN", 1) },
		"trimmed while they are pending": func(g *groups) {
			g.want("before", g.readBatch(g.a), "1 2")
			g.server.Do("XTRIM", g.a.logKey, "MAXLEN", 1)
		},
		"trimmed after an instance died": func(g *groups) {
			g.want("before", g.readBatch(g.b), "1 2")
			g.die(g.b)
			g.server.Do("XTRIM", g.a.logKey, "MAXLEN", 1)
		},
		"deleted": func(g *groups) { g.server.Do("DEL", g.a.logKey) },
		"flushed": func(g *groups) { g.server.Do("FLUSHALL") },
		"flushed, with new records": func(g *groups) {
			g.server.Do("FLUSHALL")
			g.append("3", "4")
		},
		"without a group": func(g *groups) { g.server.Do("XGROUP", "DESTROY", g.a.logKey, groupName) },
	} {
		t.Run(name, func(t *testing.T) {
			g := startGroups(t)
			g.begin()
			g.append("1", "2")
			damage(g)
			b := g.readBatch(g.a)
			g.want("one instance", b, "!")
			g.want("the other", g.readBatch(g.b), "")
			g.want("again", g.readBatch(g.a), "!")
			g.done(g.a, b)
			g.want("afterwards", g.readBatch(g.a), "")
			g.append("5")
			g.want("the next one", g.readBatch(g.b), "5")
		})
	}
}

// TestGroupMissedByTheDead: an instance that dies while everything is to be purged leaves that to
// another one.
func TestGroupMissedByTheDead(t *testing.T) {
	g := startGroups(t)
	g.append("1")
	g.want("who dies", g.readBatch(g.a), "!")
	g.die(g.a)
	g.want("who is left", g.readBatch(g.b), "!")
}

// TestGroupItems: decisions are items of their own, and an item that is neither is a mark. If an item is gone,
// the group begins again.
func TestGroupItems(t *testing.T) {
	g := startGroups(t)
	g.begin()
	g.append("1")
	g.server.Do("XADD", g.a.logKey, "*", fieldEpoch, "x")
	g.server.Do("XADD", g.a.logKey, "*", fieldDecisions, "7")
	g.server.Do("XADD", g.a.logKey, "*", fieldGroup, "another")
	b := g.readBatch(g.a)
	g.want("kinds", b, "1 ! - -")
	g.append("2")
	g.server.Do("XDEL", g.a.logKey, b.Items[2].At.id())
	g.want("one is deleted", g.readBatch(g.a), "!")
}

// TestRejected: letters are bounded, and are kept when the log is not acknowledged.
func TestRejected(t *testing.T) {
	g := startGroups(t)
	g.begin()
	ctx := context.Background()
	for n := range MaxRejected + 2 {
		g.append("r")
		must(t, g.a.Acknowledge(ctx, groupName, g.readBatch(g.a), fmt.Sprint(n), "all"))
	}
	got, err := g.b.Rejected(ctx, groupName)
	must(t, err)
	if len(got) != 2 || got[0] != "all" || got[1] != fmt.Sprint(MaxRejected+1) {
		t.Errorf("rejected: %q", got)
	}
	if b := g.readBatch(g.a); b.Rejected != 2 || b.text() != "" {
		t.Errorf("the batch counts %d, and has %q", b.Rejected, b.text())
	}
	must(t, g.b.Forget(ctx, groupName, got[:1]))
	if got, err = g.a.Rejected(ctx, groupName); err != nil || len(got) != 1 {
		t.Errorf("after Forget: %q, %v", got, err)
	}
	must(t, g.a.Acknowledge(ctx, groupName, GroupRead{}, "own", ""))
	if b := g.readBatch(g.a); b.Rejected != 2 {
		t.Errorf("without items the batch counts %d", b.Rejected)
	}
}

// TestGroupEverywhere: a group works in each topology.
func TestGroupEverywhere(t *testing.T) {
	t.Parallel()
	for _, topology := range redistest.Topologies {
		t.Run(topology.Name, func(t *testing.T) {
			t.Parallel()
			s := open(t, Options{URLs: topology.Start(t).URLs, Brief: aLongTime, Timeout: aLongTime})
			for _, want := range []string{"!", "1", ""} {
				b, err := s.ReadGroup(t.Context(), groupName, 4)
				must(t, err)
				if got := b.text(); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				must(t, s.Acknowledge(t.Context(), groupName, b, "letter", "all"))
				if want == "!" {
					_, err = s.Append(t.Context(), []byte("1"))
					must(t, err)
				}
			}
			letters, err := s.Rejected(t.Context(), groupName)
			must(t, err)
			must(t, s.Forget(t.Context(), groupName, letters))
			if len(letters) != 3 {
				t.Errorf("%d letters", len(letters))
			}
		})
	}
}

// TestGroupDown: calls fail while Redis does not answer.
func TestGroupDown(t *testing.T) {
	g := startGroups(t)
	g.begin()
	g.server.Kill()
	if _, err := g.a.ReadGroup(t.Context(), groupName, 4); err == nil {
		t.Error("reads")
	}
	if err := g.a.Acknowledge(t.Context(), groupName, GroupRead{Items: []Item{{At: 1<<16 + 1}}}, "", ""); err == nil {
		t.Error("acknowledges")
	}
	if _, err := g.a.Rejected(t.Context(), groupName); err == nil {
		t.Error("has letters")
	}
}
