package mapping

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A change that is told from outside ends what the facade's own write would end.
func TestPurgesOfIsAWrite(t *testing.T) {
	for i := range Table {
		e := &Table[i]
		if e.Action != Update && e.Action != Delete || e.BySlug() {
			continue
		}
		call := &Call{Endpoint: e, Item: "12"}
		for _, id := range []string{"", "12"} {
			if diff := cmp.Diff(call.Purges("es", id, nil), PurgesOf(e.Resource, "12", "es")); diff != "" {
				t.Errorf("%s, answered with id %q (-write +told):\n%s", e.Name(), id, diff)
			}
		}
	}
}

func TestPurgesOf(t *testing.T) {
	for _, test := range []struct{ resource, id, language, want string }{
		{"events", "12", "es", "es:events es:events:12"},
		{"categories", "3", "en", "en:categories en:categories:3"},
		{"venues", "", "de", "de:venues de:venues:any"},
	} {
		got := strings.Join(PurgesOf(test.resource, test.id, test.language), " ")
		if got != test.want {
			t.Errorf("%s %s %s: got %s, want %s", test.resource, test.id, test.language, got, test.want)
		}
	}
}

// What shows an item, lists its kind or counts it has one of the item's tags.
func TestPurgesOfReaches(t *testing.T) {
	row := func(name string) *Endpoint {
		for i := range Table {
			if Table[i].Name() == name {
				return &Table[i]
			}
		}
		t.Fatalf("no row %s", name)
		return nil
	}
	reads := map[string]struct {
		call  Call
		shows []Item
		want  string // the changes that end it
	}{
		"event":           {Call{Endpoint: row("events.read"), Item: "12"}, []Item{{"events", "12"}, {"venues", "5"}}, "event 12, venue 5"},
		"other event":     {Call{Endpoint: row("events.read"), Item: "13"}, []Item{{"events", "13"}}, ""},
		"list of events":  {Call{Endpoint: row("events.list")}, []Item{{"events", "13"}, {"venues", "5"}}, "event 12, venue 5"},
		"list of venues":  {Call{Endpoint: row("venues.list")}, []Item{{"venues", "6"}}, "venue 5"},
		"category":        {Call{Endpoint: row("categories.read"), Item: "3"}, []Item{{"categories", "3"}}, "event 12, category 3"},
		"no such venue":   {Call{Endpoint: row("venues.read"), Item: "5"}, nil, "venue 5"},
		"list of no tags": {Call{Endpoint: row("tags.list")}, nil, ""},
	}
	changes := []struct{ name, resource, id string }{
		{"event 12", "events", "12"}, {"venue 5", "venues", "5"}, {"category 3", "categories", "3"},
	}
	for name, read := range reads {
		var ends []string
		tags := read.call.Tags("en", read.shows)
		for _, c := range changes {
			if intersect(tags, PurgesOf(c.resource, c.id, "en")) {
				ends = append(ends, c.name)
			}
			if intersect(tags, PurgesOf(c.resource, c.id, "es")) {
				t.Errorf("%s ends with a change in another language", name)
			}
		}
		if got := strings.Join(ends, ", "); got != read.want {
			t.Errorf("%s ends with %q, want %q", name, got, read.want)
		}
	}
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(tag string) bool { return slices.Contains(b, tag) })
}

func TestIsTag(t *testing.T) {
	languages := []string{"en", "es"}
	for i := range Table {
		if r := Table[i].Resource; r != "" {
			for _, tag := range append(PurgesOf(r, "12", "es"), PurgesOf(r, "", "en")...) {
				if !IsTag(tag, languages) {
					t.Errorf("%q is no tag", tag)
				}
			}
		}
	}
	for _, bad := range []string{
		"", "es", "es:", "es:event", "es:events:", "es:events:0", "es:events:012", "es:events:12:3", "es:events:x",
		"de:events", "events:12", "es:events\n", "es:events:12\nes:venues", ":events", "es:events:-1", "es:events:+1",
	} {
		if IsTag(bad, languages) {
			t.Errorf("%q is a tag", bad)
		}
	}
}

func TestResourceOf(t *testing.T) {
	got := map[string]string{}
	for _, r := range Resources() {
		got[Singular(r)] = ResourceOf(Singular(r))
	}
	want := map[string]string{
		"event": "events", "venue": "venues", "organizer": "organizers", "category": "categories", "tag": "tags",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{"", "events", "Event", "doc"} {
		if r := ResourceOf(bad); r != "" {
			t.Errorf("%q is of %s", bad, r)
		}
	}
}
