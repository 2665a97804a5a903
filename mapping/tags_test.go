package mapping

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// oneSite is two languages of one WordPress, twoSites two of it and one of another.
var (
	oneSite  = TagSpaces{{Roots: []string{"en", "es"}}, {Roots: []string{"en", "es"}}}
	twoSites = TagSpaces{
		{Site: "en", Roots: []string{"en", "es"}}, {Site: "en", Roots: []string{"en", "es"}}, {Site: "de", Roots: []string{"de"}},
	}
)

// TestPurgesOfIsAWrite: a reported change purges the same tags as a write through the facade.
func TestPurgesOfIsAWrite(t *testing.T) {
	for _, e := range Table {
		if e.Action != Update && e.Action != Delete || e.BySlug {
			continue
		}
		call := &Call{Endpoint: e, Item: "12"}
		for _, id := range []string{"", "12"} {
			if diff := cmp.Diff(call.PurgedTags(oneSite[1], id, nil), oneSite.PurgedTags(e.Resource, "12", "es")); diff != "" {
				t.Errorf("%s, answered with id %q (-write +reported):\n%s", e.Name(), id, diff)
			}
		}
	}
}

func TestPurgesOf(t *testing.T) {
	for _, test := range []struct {
		spaces                       TagSpaces
		resource, id, language, want string
	}{
		{oneSite, "events", "12", "es", "en:events es:events events:12 events:occurrence"},
		{oneSite, "events", "12", "", "en:events es:events events:12 events:occurrence"},
		{oneSite, "events", "", "en", "en:events es:events events:any events:occurrence"},
		{oneSite, "events", "10000001", "en", "en:events es:events events:10000001 events:any events:occurrence"},
		{oneSite, "events", "10000000", "en", "en:events es:events events:10000000 events:occurrence"},
		{oneSite, "categories", "3", "en", "categories:3 en:categories es:categories"},
		{oneSite, "venues", "10000001", "fr", "en:venues es:venues venues:10000001"},
		{twoSites, "venues", "7", "es", "en:venues en:venues:7 es:venues"},
		{twoSites, "venues", "7", "de", "de:venues de:venues:7"},
		{twoSites, "venues", "7", "fr", "de:venues de:venues:7 en:venues en:venues:7 es:venues"},
	} {
		got := strings.Join(test.spaces.PurgedTags(test.resource, test.id, test.language), " ")
		if got != test.want {
			t.Errorf("%s %s %s: got %s, want %s", test.resource, test.id, test.language, got, test.want)
		}
	}
}

func rowNamed(t *testing.T, name string) *Endpoint {
	t.Helper()
	for _, e := range Table {
		if e.Name() == name {
			return e
		}
	}
	t.Fatalf("no row %s", name)
	return nil
}

// TestPurgesOfReaches: a response that shows an item, lists its resource or counts it has one
// of the item's tags, in any language of the root and of the item.
func TestPurgesOfReaches(t *testing.T) {
	reads := map[string]struct {
		call  Call
		shows []Item
		want  string // the changes that purge it
	}{
		"event": {Call{Endpoint: rowNamed(t, "events.read"), Item: "12"}, []Item{{"events", "12"}, {"venues", "5"}},
			"event 12, occurrence, venue 5"},
		"other event": {Call{Endpoint: rowNamed(t, "events.read"), Item: "13"}, []Item{{"events", "13"}}, "occurrence"},
		"occurrence": {Call{Endpoint: rowNamed(t, "events.read"), Item: "10000005"}, []Item{{"events", "10000005"}},
			"event 12, occurrence"},
		"series": {Call{Endpoint: rowNamed(t, "events.read"), Item: "14"}, []Item{{"events", "10000005"}}, "event 12, occurrence"},
		"list of events": {Call{Endpoint: rowNamed(t, "events.list")}, []Item{{"events", "13"}, {"venues", "5"}},
			"event 12, occurrence, venue 5"},
		"list of venues": {Call{Endpoint: rowNamed(t, "venues.list")}, []Item{{"venues", "6"}}, "venue 5"},
		"category": {Call{Endpoint: rowNamed(t, "categories.read"), Item: "3"}, []Item{{"categories", "3"}},
			"event 12, occurrence, category 3"},
		"no such venue":      {Call{Endpoint: rowNamed(t, "venues.read"), Item: "5"}, nil, "venue 5"},
		"list of no tags":    {Call{Endpoint: rowNamed(t, "tags.list")}, nil, ""},
		"no events at venue": {*mustParse(t, "events.list", "venue=6"), nil, "event 12, occurrence, venue 5"},
	}
	changes := []struct{ name, resource, id string }{
		{"event 12", "events", "12"}, {"occurrence", "events", "10000007"}, {"venue 5", "venues", "5"}, {"category 3", "categories", "3"},
	}
	for name, test := range reads {
		var purgedBy []string
		tags := test.call.Tags(twoSites[0], "en", test.shows)
		for _, c := range changes {
			purged := intersect(tags, twoSites.PurgedTags(c.resource, c.id, "en"))
			if purged {
				purgedBy = append(purgedBy, c.name)
			}
			if got := intersect(tags, twoSites.PurgedTags(c.resource, c.id, "es")); got != purged {
				t.Errorf("%s: purged by %s of its language: %t, of another: %t", name, c.name, purged, got)
			}
			if intersect(tags, twoSites.PurgedTags(c.resource, c.id, "de")) {
				t.Errorf("%s: purged by %s of another site", name, c.name)
			}
		}
		if got := strings.Join(purgedBy, ", "); got != test.want {
			t.Errorf("%s: purged by %q, want %q", name, got, test.want)
		}
	}
}

func mustParse(t *testing.T, endpoint, query string) *Call {
	t.Helper()
	call, err := parseQuery(t, endpoint, query)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(tag string) bool { return slices.Contains(b, tag) })
}

// TestParseTag: every tag of a purge can be parsed, and so can the previous form of items,
// with a language.
func TestParseTag(t *testing.T) {
	for _, spaces := range []TagSpaces{oneSite, twoSites} {
		for _, r := range Resources() {
			for _, tag := range append(spaces.PurgedTags(r, "12", "es"), spaces.PurgedTags(r, "", "en")...) {
				if got, ok := spaces.Parse(tag); !ok || !slices.Equal(got, []string{tag}) {
					t.Errorf("%q is not the tag itself but %q", tag, got)
				}
			}
		}
	}
	for _, test := range []struct {
		spaces    TagSpaces
		tag, want string
	}{
		{oneSite, "es:events:12", "events:12"},
		{oneSite, "en:events:any", "events:any"},
		{twoSites, "es:events:12", "en:events:12"},
		{twoSites, "events:12", "de:events:12 en:events:12"},
		{twoSites, "de:venues:any", "de:venues:any"},
	} {
		got, ok := test.spaces.Parse(test.tag)
		if strings.Join(got, " ") != test.want || !ok {
			t.Errorf("%s: got %s %t, want %s", test.tag, got, ok, test.want)
		}
	}
	for _, bad := range []string{
		"", "es", "es:", "es:event", "es:events:", "es:events:0", "es:events:012", "es:events:12:3", "es:events:x",
		"de:events", "de:events:12", "events", "event:12", "events:", "events:012", "events:12:any", "venues:occurrence",
		"es:events\n", "es:events:12\nes:venues", ":events", "es:events:-1", "es:events:+1",
	} {
		if tags, ok := oneSite.Parse(bad); ok {
			t.Errorf("%q is a tag: %q", bad, tags)
		}
	}
}

func TestTags(t *testing.T) {
	shows := []Item{{"events", "5"}, {"venues", "9"}, {"organizers", "7"}, {"organizers", "8"}, {"categories", "3"}, {"categories", "2"},
		{"events", "6"}}
	got := strings.Join(mustParse(t, "events.list", "").Tags(oneSite[1], "es", shows), " ")
	want := "categories:2 categories:3 categories:any es:events events:5 events:6 events:any " +
		"organizers:7 organizers:8 organizers:any venues:9 venues:any"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		endpoint, query string
		shows           []Item
		want            string
	}{
		{"events.read", "", []Item{{"events", "5"}, {"venues", "9"}}, "events:5 events:any venues:9 venues:any"},
		{"events.read", "", []Item{{"events", "10000009"}}, "events:10000009 events:5 events:any events:occurrence"},
		{"events.read", "", nil, "en:events events:5 events:any"},
		{"events.read_by_slug", "", nil, "en:events events:any"},
		{"events.list", "categories=3", nil, "en:categories en:events events:any"},
		{"categories.read", "", []Item{{"categories", "5"}}, "categories:5 categories:any en:events"},
		{"categories.list", "post=12", nil, "categories:any en:categories en:events"},
		{"venues.list", "", []Item{{"venues", "9"}}, "en:venues venues:9 venues:any"},
		{"venues.list", "only_with_upcoming=1", []Item{{"venues", "9"}}, "en:events en:venues venues:9 venues:any"},
	} {
		call := mustParse(t, test.endpoint, test.query)
		if test.endpoint == "events.read" || test.endpoint == "categories.read" {
			call.Item = "5"
		}
		if got := strings.Join(call.Tags(oneSite[0], "en", test.shows), " "); got != test.want {
			t.Errorf("%s?%s: got %s, want %s", test.endpoint, test.query, got, test.want)
		}
	}
	call := &Call{Endpoint: rowNamed(t, "events.read"), Item: "5"}
	if got := strings.Join(call.Tags(twoSites[1], "es", []Item{{"events", "5"}, {"venues", "9"}}),
		" "); got != "en:events:5 en:events:any en:venues:9 en:venues:any" {
		t.Errorf("one of several sites: got %s", got)
	}
}

func TestPurges(t *testing.T) {
	for _, test := range []struct {
		endpoint, body, id string
		shows              []Item
		want               string
	}{
		{"events.update", `{"title":"x"}`, "5", []Item{{"events", "5"}, {"venues", "9"}}, "en:events es:events events:5 events:occurrence"},
		{"events.update", `{"venue":{"venue":"x"},"tags":["y"]}`, "5", []Item{{"events", "5"}, {"venues", "9"}},
			"en:events en:tags en:venues es:events es:tags es:venues events:5 events:occurrence venues:9"},
		{"events.update", `{"venue":9}`, "", nil, "en:events en:venues es:events es:venues events:5 events:occurrence venues:any"},
		{"events.update", `{}`, "6", nil, "en:events es:events events:5 events:6 events:occurrence"},
		{"events.update_by_slug", `{}`, "", nil, "en:events es:events events:any events:occurrence"},
		{"tags.create", `{"name":"x"}`, "8", nil, "en:tags es:tags tags:8"},
		{"tags.create", `{"name":"x"}`, "", nil, "en:tags es:tags tags:any"},
	} {
		call, err := parseBody(t, test.endpoint, "5", "", test.body)
		if err != nil {
			t.Fatal(err)
		}
		if call.Endpoint.Action == Create {
			call.Item = ""
		}
		if got := strings.Join(call.PurgedTags(oneSite[0], test.id, test.shows), " "); got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.endpoint, test.body, got, test.want)
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

// TestSubject: each tag of a purge stands for something that can be named outside.
func TestSubject(t *testing.T) {
	for _, test := range []struct {
		spaces TagSpaces
		tag    string
		want   Subject
	}{
		{oneSite, "es:events", Subject{
			Resource: "events",
			Scope:    ListsOfLanguage,
			ID:       "",
			Roots:    []string{"es"},
			Path:     "/events",
		}},
		{oneSite, "events:12", Subject{
			Resource: "events",
			Scope:    OneItem,
			ID:       "12",
			Roots:    []string{"en", "es"},
			Path:     "/events/12",
		}},
		{oneSite, "events:any", Subject{
			Resource: "events",
			Scope:    AnyItem,
			ID:       "",
			Roots:    []string{"en", "es"},
			Path:     "",
		}},
		{oneSite, "events:occurrence", Subject{
			Resource: "events",
			Scope:    AnyOccurrence,
			ID:       "",
			Roots:    []string{"en", "es"},
			Path:     "",
		}},
		{twoSites, "de:venues", Subject{
			Resource: "venues",
			Scope:    ListsOfLanguage,
			ID:       "",
			Roots:    []string{"de"},
			Path:     "/venues",
		}},
		{twoSites, "en:venues:7", Subject{
			Resource: "venues",
			Scope:    OneItem,
			ID:       "7",
			Roots:    []string{"en", "es"},
			Path:     "/venues/7",
		}},
		{twoSites, "de:venues:7", Subject{
			Resource: "venues",
			Scope:    OneItem,
			ID:       "7",
			Roots:    []string{"de"},
			Path:     "/venues/7",
		}},
	} {
		got, ok := test.spaces.Subject(test.tag)
		if diff := cmp.Diff(test.want, got); !ok || diff != "" {
			t.Errorf("%s: %t (-want +got):\n%s", test.tag, ok, diff)
		}
	}
	for _, bad := range []string{"", "fr:events", "events", "events:x", "events:1:2"} {
		if got, ok := oneSite.Subject(bad); ok {
			t.Errorf("%q stands for %+v", bad, got)
		}
	}
	for _, spaces := range []TagSpaces{oneSite, twoSites} {
		for _, r := range Resources() {
			for _, tag := range append(spaces.PurgedTags(r, "12", "es"), spaces.PurgedTags(r, "", "en")...) {
				if got, ok := spaces.Subject(tag); !ok || got.Resource != r || len(got.Roots) == 0 {
					t.Errorf("%q: %+v %t", tag, got, ok)
				}
			}
		}
	}
}
