package cache

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/google/go-cmp/cmp"
)

// inShort writes purges as "from here count".
func inShort(list []Purged) []string {
	var all []string
	for _, p := range list {
		all = append(all, fmt.Sprintf("%s %t %d", p.From, p.Local, p.Count))
	}
	return all
}

func TestRecentOnce(t *testing.T) {
	mine, heard := Purge{Tags: []string{"a"}, From: "write"}, Purge{Tags: []string{"a"}}
	at := redisstore.Position(1_700_000_000_000 << 16)
	for name, add := range map[string]func(r *recent){
		"made, then heard": func(r *recent) { r.add(at, mine, true, at.Time()); r.add(at, heard, false, at.Time()) },
		"heard, then made": func(r *recent) { r.add(at, heard, false, at.Time()); r.add(at, mine, true, at.Time()) },
		"waited, then sent, then heard": func(r *recent) {
			r.add(0, mine, true, at.Time())
			r.add(at, mine, true, at.Time())
			r.add(at, heard, false, at.Time())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var r recent
			add(&r)
			if diff := cmp.Diff([]string{"write true 1"}, inShort(r.list)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRecentIsBounded also reads a log again from its beginning, as after a gap.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	tags := slices.Repeat([]string{"a"}, 3*maxRecentTags)
	for range 2 {
		for i := range 2 * maxRecent {
			at := redisstore.Position(i+1) << 16
			r.add(at, Purge{Tags: tags}, false, at.Time())
		}
	}
	if len(r.list) != maxRecent {
		t.Fatalf("%d are kept", len(r.list))
	}
	for i, p := range r.list {
		if want := redisstore.Position(maxRecent+i+1) << 16; p.at != want || p.Count != len(tags) || len(p.Tags) != maxRecentTags {
			t.Errorf("number %d: %+v, want the one at %d", i, p, want)
		}
	}
}

func TestRecentOfMemory(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	c.Purge(t.Context(), Purge{Tags: []string{"a"}, From: "write"})
	c.Purge(t.Context(), Purge{All: true, Soft: true, From: "page"})
	if diff := cmp.Diff([]string{"page true 0", "write true 1"}, inShort(c.Recent())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !c.Newest().IsZero() {
		t.Errorf("a log of memory alone has no time: %v", c.Newest())
	}
}

// TestRecentOfCopies: each copy knows which purges are its own, and one that
// waited for Redis is told once.
func TestRecentOfCopies(t *testing.T) {
	line, all := instancesOverRelay(t, &redisstore.Options{Budget: 100 * time.Millisecond})
	all[0].Purge(t.Context(), Purge{Tags: []string{"a"}, From: "write"})
	line.Cut(true)
	all[0].Purge(t.Context(), Purge{Tags: []string{"a", "b"}, From: "page"})
	check(t, "while Redis is away", fmt.Sprint(inShort(all[0].Recent())), "[page true 2 write true 1]")
	line.Cut(false)
	eventually(t, "the other hears of both", func() bool { return len(all[1].Recent()) == 2 })
	check(t, "the other's", fmt.Sprint(inShort(all[1].Recent())), "[ false 2  false 1]")
	eventually(t, "Redis serves again", all[0].remote.ready)
	all[1].Purge(t.Context(), Purge{All: true, From: "http"})
	eventually(t, "the first hears of it", func() bool { return len(all[0].Recent()) == 3 })
	check(t, "the first's", fmt.Sprint(inShort(all[0].Recent())), "[ false 0 page true 2 write true 1]")
	if at := all[0].Newest(); time.Since(at).Abs() > time.Hour {
		t.Errorf("the newest record is of %v", at)
	}
}
