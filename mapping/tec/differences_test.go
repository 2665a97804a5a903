package tec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tec"
)

// TestDifferences names each known difference, and holds that something else at its place is
// none.
func TestDifferences(t *testing.T) {
	rules := compare.Default()
	rules.Known = tec.Differences()
	rules.Hosts = []string{"old.example", "new.example"}
	c, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, test := range []struct{ name, endpoint, want, got string }{
		{"website", "events.read", `"website":"https://a.example"`, `"website":""`},
		{"", "events.read", `"website":"https://a.example"`, `"website":"https://b.example"`},
		{"", "events.read", `"website":"https://a.example"`, ``},
		{"", "events.read", `"website":""`, `"website":"https://a.example"`},
		{"", "events.read", `"venue":{"id":1,"website":"https://a.example"}`, `"venue":{"id":1,"website":""}`},
		{"", "venues.read", `"website":"https://a.example"`, `"website":""`},
		{"map switches", "venues.read", `"show_map":true`, `"show_map":null`},
		{"map switches", "events.list", `"events":[{"id":1,"show_map_link":false}]`, `"events":[{"id":1,"show_map_link":null}]`},
		{"", "venues.read", `"show_map":true`, `"show_map":false`},
		{"", "venues.read", `"show_map":true`, ``},
		{"hide_from_listings", "events.read", `"hide_from_listings":true`, `"hide_from_listings":null`},
		{"hide_from_listings", "events.read", `"hide_from_listings":1`, `"hide_from_listings":null`},
		{"hide_from_listings", "events.read", `"hide_from_listings":"0"`, `"hide_from_listings":null`},
		{"", "events.read", `"hide_from_listings":true`, `"hide_from_listings":false`},
		{"json_ld", "events.read", `"venue":{"id":1,"json_ld":{}}`, `"venue":{"id":1}`},
		{"", "events.read", `"json_ld":{"a":1}`, `"json_ld":{"a":2}`},
		{"", "events.read", `"json_ldx":{}`, ``},
		{"links of terms", "tags.read", `"_links":{"a":1}`, ``},
		{"", "tags.read", `"_links":{"a":1}`, `"_links":{"a":2}`},
		{"", "events.read", `"_links":{"a":1}`, ``},
		{"rows of terms", "categories.list", `"categories":[{"id":1,"filter":"raw"}]`, `"categories":[{"id":1}]`},
		{"rows of terms", "tags.read", `"parent":0`, ``},
		{"", "categories.read", `"parent":0`, ``},
		{"", "events.list", `"events":[{"id":1,"categories":[{"id":2,"name":"a","filter":"raw"}]}]`,
			`"events":[{"id":1,"categories":[{"id":2,"name":"b","filter":"raw"}]}]`},
		{"cost_details", "events.read", `"cost":"£5","cost_details":{"currency_code":"GBP","values":["5"]}`,
			`"cost":"£5","cost_details":{"values":["5","6"]}`},
		{"", "events.read", `"cost_details":{"values":["5"]}`, `"cost_details":[]`},
		{"", "events.read", `"cost_details":{"values":["5"]}`, ``},
		{"excerpts of events", "events.read", `"excerpt":""`, `"excerpt":"made"`},
		{"", "events.read", `"excerpt":"written"`, `"excerpt":"made"`},
		{"", "events.read", `"excerpt":"written"`, `"excerpt":""`},
		{"", "events.read", ``, `"excerpt":"made"`},
		{"excerpts of places", "events.read", `"organizer":[{"id":1}]`, `"organizer":[{"id":1,"excerpt":"made"}]`},
		{"", "organizers.read", `"excerpt":"written"`, `"excerpt":"made"`},
		{"global ids", "venues.read", `"global_id":"old.example/es?id=1"`, `"global_id":"new.example?id=1"`},
		{"global ids", "events.read", `"global_id_lineage":["old.example/es?id=1"]`, `"global_id_lineage":["old.example?id=1"]`},
		{"", "events.read", `"global_id":"old.example/es?id=1"`, `"global_id":"new.example?id=2"`},
		{"", "events.read", `"global_id":"old.example/es?id=1"`, `"global_id":"third.example?id=1"`},
		{"", "events.read", `"global_id":"old.example/es?id=1"`, `"global_id":"new.example/de?id=1"`},
		{"", "events.read", `"global_id_lineage":["old.example/es?id=1"]`, `"global_id_lineage":["old.example?id=1","b?id=1"]`},
		{"protected events", "events.list", `"events":[{"id":1,"start_date":"2027-01-01 10:00:00","timezone":"UTC"}]`,
			`"events":[{"id":1,"start_date":"0000-00-00 00:00:00","timezone":""}]`},
		{"", "events.list", `"events":[{"id":1,"start_date":"2027-01-01 10:00:00","timezone":"UTC"}]`,
			`"events":[{"id":1,"start_date":"2027-01-01 10:00:00","timezone":""}]`},
		{"", "events.list", `"events":[{"id":1,"start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00"}]`,
			`"events":[{"id":1,"start_date":"2027-01-01 10:00:00","end_date":"0000-00-00 00:00:00"}]`},
		{"", "events.list", `"events":[{"id":1,"title":"Protected: a","start_date":"0000-00-00 00:00:00"}]`,
			`"events":[{"id":1,"title":"","start_date":"0000-00-00 00:00:00"}]`},
		{"protected venues", "events.read", `"venue":{"id":1}`, `"venue":{"id":1,"state":"","phone":""}`},
		{"", "venues.read", ``, `"state":"CA"`},
		{"", "venues.read", `"state":"CA"`, `"state":""`},
		{"protected venues", "events.list", `"events":[{"id":1,"venue":{"id":1}}]`, `"events":[{"id":1,"venue":{"id":1,"website":""}}]`},
		{"protected venues", "events.read", `"venue":[{"id":1},{"id":2}]`, `"venue":[{"id":1,"website":"","zip":""},{"id":2}]`},
		{"protected venues", "venues.list", `"venues":[{"id":1}]`,
			`"venues":[{"id":1,"address":"","city":"","country":"","description":""}]`},
		{"", "venues.read", ``, `"website":"https://a.example"`},
		{"", "venues.read", ``, `"excerpt_":""`},
		{"", "organizers.read", ``, `"phone":""`},
	} {
		doc := func(members string) compare.Document {
			return compare.Document{Status: 200, Body: []byte("{" + members + "}")}
		}
		result, err := c.Compare(test.endpoint, doc(test.want), doc(test.got),
			func() (compare.Document, error) { return doc(test.want), nil })
		if err != nil || len(result.Differences)+len(result.Known) == 0 {
			t.Errorf("%s %s: no difference, %v", test.endpoint, test.got, err)
		}
		for name := range result.Known {
			names[name] = true
		}
		if test.name == "" != (len(result.Differences) > 0) || test.name != "" && (len(result.Known) != 1 || result.Known[test.name] == 0) {
			t.Errorf("%s: %s and %s: %+v, want %q", test.endpoint, test.want, test.got, result, test.name)
		}
	}
	for _, k := range tec.Differences() {
		if !names[k.Name] && k.Members != nil {
			t.Errorf("%s is not tested", k.Name)
		}
	}
	hiding := 0
	for _, k := range tec.Differences() {
		for endpoint, isHidden := range k.Unlisted {
			hiding++
			for flag, hidden := range map[string]bool{"true": true, "1": true, `"1"`: true, "false": false, "0": false, "null": false} {
				if isHidden([]byte(`{"hide_from_listings":`+flag+`}`)) != hidden || endpoint != "events.list" {
					t.Errorf("%s: %s: %v", endpoint, flag, !hidden)
				}
			}
		}
	}
	if hiding != 1 {
		t.Errorf("%d lists hide items", hiding)
	}
}

// TestChildrenBySlug: the legacy finds no event that has a parent by its slug; the successor does.
func TestChildrenBySlug(t *testing.T) {
	rules := compare.Default()
	rules.Known = tec.Differences()
	c, err := rules.Compile()
	if err != nil {
		t.Fatal(err)
	}
	unknown := compare.Document{Status: 400, Body: []byte(`{"code":"rest_invalid_param"}`)}
	document := compare.Document{Status: 200, Body: []byte(`{"id":1}`)}
	for _, test := range []struct {
		endpoint  string
		want, got compare.Document
		count     int
	}{
		{"events.read_by_slug", unknown, document, 1},
		{"events.read_by_slug", document, unknown, 0},
		{"venues.read_by_slug", unknown, document, 0},
		{"events.read", unknown, document, 0},
	} {
		r, err := c.Compare(test.endpoint, test.want, test.got, func() (compare.Document, error) { return test.want, nil })
		if err != nil || r.Known["children by slug"] != test.count || len(r.Differences) != 1-test.count {
			t.Errorf("%s: %+v, %v, want %d", test.endpoint, r, err, test.count)
		}
	}
}

// TestDifferencesHaveNames: reports count them by name.
func TestDifferencesHaveNames(t *testing.T) {
	var names []string
	for _, k := range tec.Differences() {
		if k.Name == "" || slices.Contains(names, k.Name) || !strings.HasSuffix(k.Why, ".") {
			t.Errorf("%+v", k)
		}
		names = append(names, k.Name)
	}
}
