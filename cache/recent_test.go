package cache

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/cache/redisstore"
)

// summaries formats purges as "from here count".
func summaries(list []Purged) []string {
	var all []string
	for _, p := range list {
		all = append(all, fmt.Sprintf("%s %t %d", p.From, p.Local, p.Count))
	}
	return all
}

func TestRecentOnce(t *testing.T) {
	at := redisstore.Position(1_700_000_000_000 << 16)
	received := Purged{Purge: Purge{Tags: []string{"a"}}, Count: 1, At: at, Time: at.Time()}
	own := received
	own.From, own.Local = "write", true
	waits := own
	waits.At = 0
	for name, adds := range map[string][]Purged{
		"made, then received":              {own, received},
		"received, then made":              {received, own},
		"waited, then sent, then received": {waits, own, received},
	} {
		t.Run(name, func(t *testing.T) {
			var r recent
			for _, p := range adds {
				r.add("id", p)
			}
			if diff := cmp.Diff([]string{"write true 1"}, summaries(r.list)); diff != "" {
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
			r.add("", Purged{Purge: Purge{Tags: tags}, Count: len(tags), At: at, Time: at.Time()})
		}
	}
	if len(r.list) != maxRecent {
		t.Fatalf("%d are listed", len(r.list))
	}
	for i, p := range r.list {
		if want := redisstore.Position(maxRecent+i+1) << 16; p.At != want || p.Count != len(tags) || len(p.Tags) != maxRecentTags {
			t.Errorf("number %d: %+v, want the one at %d", i, p, want)
		}
	}
}

func TestRecentOfMemory(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	c.Purge(t.Context(), Purge{Tags: []string{"a"}, From: "write"})
	c.Purge(t.Context(), Purge{All: true, Soft: true, From: "page"})
	if diff := cmp.Diff([]string{"page true 0", "write true 1"}, summaries(c.Recent())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRecentOfInstances: each instance marks its own purges, and lists one that waited for
// Redis once.
func TestRecentOfInstances(t *testing.T) {
	line, all := instancesOverRelay(t, &redisstore.Options{Brief: calmTimeout, Timeout: calmTimeout})
	all[0].Purge(t.Context(), Purge{Tags: []string{"a"}, From: "write"})
	line.Cut(true)
	all[0].Purge(t.Context(), Purge{Tags: []string{"a", "b"}, From: "page"})
	check(t, "while Redis is down", fmt.Sprint(summaries(all[0].Recent())), "[page true 2 write true 1]")
	line.Cut(false)
	eventually(t, "the other instance receives both", func() bool { all[1].Look(); return len(all[1].Recent()) == 2 })
	check(t, "the other's", fmt.Sprint(summaries(all[1].Recent())), "[ false 2  false 1]")
	eventually(t, "Redis serves again", all[0].shows)
	all[1].Purge(t.Context(), Purge{All: true, From: "http"})
	eventually(t, "the first instance receives it", func() bool { all[0].Look(); return len(all[0].Recent()) == 3 })
	check(t, "the first's", fmt.Sprint(summaries(all[0].Recent())), "[ false 0 page true 2 write true 1]")
}

// TestPurgedIsCalled: whoever passes purges on gets each one, and no announcement.
func TestPurgedIsCalled(t *testing.T) {
	var got []Purged
	c := New(Options{Purged: func(a Purged) { got = append(got, a) }, Clock: func() time.Time { return time.Time{} }})
	defer c.Close()
	c.Announce(t.Context(), []string{"x"}).Withdraw()
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	c.Announce(t.Context(), []string{"b"}).Purge(t.Context(), Purge{Tags: []string{"b"}})
	c.Announce(t.Context(), []string{"c"}).Doubt(t.Context(), "write")
	want := []Purged{
		{Purge: Purge{Tags: []string{"a"}}, Count: 1, Local: true},
		{Purge: Purge{Tags: []string{"b"}}, Count: 1, Local: true},
		{Purge: Purge{Tags: []string{"c"}, From: "write"}, Count: 1, Local: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Purged{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPurgeOf reads what records of the log purge.
func TestPurgeOf(t *testing.T) {
	for _, test := range []struct {
		record record
		want   Purge
		ok     bool
	}{
		{record{Purge: Purge{Tags: []string{"a"}}, Ends: "1"}, Purge{Tags: []string{"a"}}, true},
		{record{Purge: Purge{Tags: []string{"a"}}, Begins: true}, Purge{Tags: []string{"a"}}, true},
		{record{Purge: Purge{All: true, Soft: true}}, Purge{All: true, Soft: true}, true},
		{record{Purge: Purge{Tags: []string{"a"}}, Begins: true, Note: true}, Purge{}, false},
		{record{Purge: Purge{Tags: []string{"a"}, Soft: true}, Space: "s"}, Purge{All: true, Soft: true}, true},
		{record{Purge: Purge{Tags: []string{"a"}}, Note: true, Space: "s"}, Purge{}, false},
	} {
		test.record.Version = recordVersion
		got, ok := PurgeOf(test.record.encode(), "")
		if ok != test.ok || ok && !cmp.Equal(got, test.want) {
			t.Errorf("%+v: %+v %t", test.record, got, ok)
		}
	}
	if got, ok := PurgeOf([]byte("hard9\na"), ""); !ok || !got.All {
		t.Errorf("another version: %+v %t", got, ok)
	}
}
