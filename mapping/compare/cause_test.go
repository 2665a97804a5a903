package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calfacade/calfacade/mapping/compare"
)

// withoutCauses makes go-cmp ignore causes, and hashes of values.
var withoutCauses = cmp.Options{cmpopts.IgnoreTypes(compare.Cause{}), cmpopts.IgnoreFields(difference{}, "Values")}

// causes returns the causes of the differences of two documents as texts, each once.
func causes(t *testing.T, endpoint, want, got string) []string {
	t.Helper()
	var lines []string
	for _, d := range comparer(t, compare.Default()).Documents(endpoint, ok(want), ok(got)) {
		c := d.Cause
		lines = append(lines, fmt.Sprintf("%s %s %s", c.Resource, c.ID, c.Member))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestCauses(t *testing.T) {
	venue := func(city string) string { return `{"id":5,"city":"` + city + `"}` }
	for _, test := range []struct {
		name, endpoint, want, got string
		causes                    []string
	}{
		{"in an item", "events.read", `{"id":1,"image":{"url":"a"}}`, `{"id":1,"image":{"url":"b"}}`, []string{"events 1 image.url"}},
		{"in a list", "events.list", `{"events":[{"id":1,"title":"a"}]}`, `{"events":[{"id":1,"title":"b"}]}`, []string{"events 1 title"}},
		{"of a venue", "venues.read", venue("a"), venue("b"), []string{"venues 5 city"}},
		{"of a venue of an event", "events.read", `{"id":1,"venue":` + venue("a") + `}`, `{"id":1,"venue":` + venue("b") + `}`,
			[]string{"venues 5 city"}},
		{"of a venue of two", "events.list", `{"events":[{"id":1,"venue":[` + venue("a") + `]}]}`, `{"events":[{"id":1,"venue":[` +
			venue("b") + `]}]}`, []string{"venues 5 city"}},
		{"of a term of an event", "events.read", `{"id":1,"tags":[{"id":3,"name":"a"}]}`, `{"id":1,"tags":[{"id":3,"name":"b"}]}`,
			[]string{"tags 3 name"}},
		{"another venue", "events.read", `{"id":1,"venue":{"id":5,"city":"a","zip":"x"}}`, `{"id":1,"venue":{"id":6,"city":"b"}}`,
			[]string{"events 1 venue"}},
		{"another venue of several", "events.list", `{"events":[{"id":1,"venue":{"id":5,"city":"a","image":{"id":8}}}]}`,
			`{"events":[{"id":1,"venue":{"id":6,"city":"b","image":{"id":9}}}]}`, []string{"events 1 venue"}},
		{"a missing member", "events.list", `{"events":[{"id":1,"title":"a"}]}`, `{"events":[{"id":1}]}`, []string{"events 1 title"}},
		{"a missing item", "events.list", `{"events":[{"id":1},{"id":2}]}`, `{"events":[{"id":1}]}`, []string{"events 2 "}},
		{"a missing item of an item", "events.list", `{"events":[{"id":1,"organizer":[{"id":7}]}]}`,
			`{"events":[{"id":1,"organizer":[]}]}`, []string{"events 1 organizer[]"}},
		{"the order", "events.list", `{"events":[{"id":1},{"id":2}]}`, `{"events":[{"id":2},{"id":1}]}`, []string{"events  events"}},
		{"another time, and place", "events.list", `{"events":[{"id":1,"start_date":"a"},{"id":2},{"id":3}]}`,
			`{"events":[{"id":2},{"id":3},{"id":1,"start_date":"b"}]}`, []string{"events 1 start_date"}},
		{"no time, and another place", "events.list", `{"events":[{"id":1,"start_date":"a"},{"id":2}]}`,
			`{"events":[{"id":2},{"id":1}]}`, []string{"events 1 start_date"}},
		{"another time, and another order", "events.list", `{"events":[{"id":1,"end_date":"a"},{"id":2},{"id":3}]}`,
			`{"events":[{"id":3},{"id":2},{"id":1,"end_date":"b"}]}`, []string{"events  events", "events 1 end_date"}},
		{"another title, and place", "events.list", `{"events":[{"id":1,"title":"a"},{"id":2}]}`,
			`{"events":[{"id":2},{"id":1,"title":"b"}]}`, []string{"events  events", "events 1 title"}},
		{"the total", "events.list", `{"events":[],"total":1}`, `{"events":[],"total":2}`, []string{"events  total"}},
		{"another item", "events.read", `{"id":1}`, `{"id":2}`, []string{"events 1 id"}},
		{"an item without an id", "events.read", `{"title":"a"}`, `{"title":"b"}`, []string{"events  title"}},
		{"not in the table", "events.read", `{"id":1,"new":{"id":3,"a":1}}`, `{"id":1,"new":{"id":3,"a":2}}`, []string{"events 1 new.a"}},
		{"a document that the table does not have", "odd.read", `{"id":1,"a":1}`, `{"id":1,"a":2}`, []string{"odd  a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.causes, causes(t, test.endpoint, test.want, test.got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestValuesOfFindings: a finding has two values, wherever they show.
func TestValuesOfFindings(t *testing.T) {
	first := func(want, got compare.Document) difference {
		return comparer(t, compare.Default()).Documents("venues.read", want, got)[0]
	}
	differenceOf := func(want, got string) difference {
		return first(ok(`{"id":1,"venue":`+want+`}`), ok(`{"id":1,"venue":`+got+`}`))
	}
	findings := func(differences ...difference) int {
		f := new(compare.Findings)
		f.Add(listStep("en", "/", 0, differences...))
		return f.Snapshot().Total
	}
	long := strings.Repeat("x", 5000)
	differences := []difference{
		differenceOf(`"a"`, `"b"`), differenceOf(`"b"`, `"a"`), differenceOf(`"a"`, `1`), differenceOf(`"a"`, `"c"`),
		differenceOf(`"`+long+`a"`, `"`+long+`b"`), differenceOf(`"`+long+`a"`,
			`"`+long+`c"`),
		first(ok(`{"id":1,"venue":"a"}`), ok(`{"id":1}`)), first(ok(`{"id":1}`), ok(`{"id":1,"venue":"a"}`)),
		first(ok(`{}`), compare.Document{Status: 404}),
	}
	if n := findings(differences...); n != len(differences) {
		t.Errorf("%d findings of %d differences: %+v", n, len(differences), differences)
	}
	for name, pair := range map[string][2]difference{
		"spelled otherwise": {differenceOf(`"a"`, `"b"`), differenceOf(`"\u0061"`, `"b"`)},
		"a secret":          {differenceOf(`"/?token=a"`, `"1/?token=b"`), differenceOf(`"/?token=c"`, `"1/?token=d"`)},
		"errors":            {first(ok(`{}`), compare.Document{Status: 404}), first(ok(`{}`), compare.Document{Status: 400})},
	} {
		if n := findings(pair[:]...); n != 1 {
			t.Errorf("%s: %d findings", name, n)
		}
	}
}

// TestLongValuesAreCutAroundTheChange: long values show the part that changed, and hide a secret
// even if its name is cut off.
func TestLongValuesAreCutAroundTheChange(t *testing.T) {
	text := strings.Repeat("plain words é ", 100) + "%s" + strings.Repeat(" more words", 100)
	show := func(text, want, got string) (string, string) {
		d := comparer(t, compare.Rules{}).Documents("events.read", ok(fmt.Sprintf(`{"description":"`+text+`"}`, want)),
			ok(fmt.Sprintf(`{"description":"`+text+`"}`, got)))
		return d[0].Want, d[0].Got
	}
	want, got := show(text, "old", "new one")
	if !strings.HasPrefix(want, "…") || !strings.Contains(want, "é old more") || !strings.Contains(got, "é new one more") ||
		len(want) > compare.MaxShown || len(got) > compare.MaxShown {
		t.Errorf("%q and %q", want, got)
	}
	want, got = show(text+"/?token="+strings.Repeat("hunter2", 30)+"%[1]s", "a", "b")
	if strings.Contains(want+got, "hunter") {
		t.Errorf("a secret is shown: %q, %q", want, got)
	}
	want, got = show("%s"+strings.Repeat("x", 500), "a", "b")
	if !strings.HasPrefix(want, "ax") || !strings.HasPrefix(got, "bx") {
		t.Errorf("%q and %q", want, got)
	}
}

// TestRepeatedMembers: a member that repeats another one is no difference beside it, and is one alone.
func TestRepeatedMembers(t *testing.T) {
	for _, test := range []struct {
		name, want, got string
		paths           []string
	}{
		{"beside its source", `{"id":1,"start_date":"a","utc_start_date":"a"}`, `{"id":1,"start_date":"b","utc_start_date":"b"}`,
			[]string{"start_date"}},
		{"alone", `{"id":1,"start_date":"a","utc_start_date":"a"}`, `{"id":1,"start_date":"a","utc_start_date":"b"}`,
			[]string{"utc_start_date"}},
		{"in another way", `{"id":1,"start_date":"a","utc_start_date":"a"}`, `{"id":1,"start_date":"b"}`,
			[]string{"start_date", "utc_start_date"}},
		{"further down", `{"id":1,"title":"a","json_ld":{"name":"a"}}`, `{"id":1,"title":"b","json_ld":{}}`, []string{"title"}},
		{"of a known difference", `{"id":1,"cost":"a","cost_details":{"x":1}}`, `{"id":1,"cost":"b","cost_details":{"x":2}}`,
			[]string{"cost_details.x"}},
		{"of nothing but known ones", `{"id":1,"venue":{"id":2,"known":1},"json_ld":{"location":1}}`,
			`{"id":1,"venue":{"id":2,"known":2},"json_ld":{"location":2}}`, []string{"json_ld.location"}},
	} {
		rules := compare.Rules{Known: []compare.Known{
			{Name: "known", Members: []string{"events.cost", "venues.known"}, Kinds: []compare.Kind{compare.Value}},
		}}
		var paths []string
		for _, d := range comparer(t, rules).Documents("events.read", ok(test.want), ok(test.got)) {
			paths = append(paths, d.Path)
		}
		if diff := cmp.Diff(test.paths, paths); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}
