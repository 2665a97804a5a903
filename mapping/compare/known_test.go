package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

func TestKnown(t *testing.T) {
	rules := compare.Rules{
		Hosts: []string{"old.example", "new.example"},
		Known: []compare.Known{
			{Name: "lost", Members: []string{"events.a", "b"}, Kinds: []compare.Kind{compare.Value, compare.Missing},
				If: func(p compare.Pair) bool { return p.Got.Text == "" && p.Beside("id").Want.Text != "9" }},
			{Name: "ids", Members: []string{"global"}, Kinds: []compare.Kind{compare.Value},
				If: func(p compare.Pair) bool { return strings.Replace(p.Want.Text, "/es", "", 1) == p.Got.Text }},
			{Name: "refused", Statuses: [][2]string{{"200", "501 not_supported"}}},
		},
	}
	for _, test := range []struct {
		name, endpoint, want, got string
		counts                    map[string]int
		differences               []difference
	}{
		{name: "all", want: `{"events":[{"id":1,"a":"x"},{"id":2,"a":"y","b":{"c":1}}]}`,
			got:    `{"events":[{"id":1,"a":""},{"id":2,"a":"","b":{}}]}`,
			counts: map[string]int{"lost": 3}},
		{name: "a real one after it", want: `{"events":[{"id":1,"a":"x","z":1}]}`, got: `{"events":[{"id":1,"a":"","z":2}]}`,
			differences: []difference{{Path: "events[].z", Kind: "value", Item: "1", Want: "1", Got: "2"}},
			counts:      map[string]int{"lost": 1}},
		{name: "another value", want: `{"events":[{"id":1,"a":"x"}]}`, got: `{"events":[{"id":1,"a":"y"}]}`,
			differences: []difference{{Path: "events[].a", Kind: "value", Item: "1", Want: "x", Got: "y"}}},
		{name: "another kind", want: `{"events":[{"id":1}]}`, got: `{"events":[{"id":1,"a":""}]}`,
			differences: []difference{{Path: "events[].a", Kind: "extra", Item: "1"}}},
		{name: "beside another", want: `{"events":[{"id":9,"a":"x"}]}`, got: `{"events":[{"id":9,"a":""}]}`,
			differences: []difference{{Path: "events[].a", Kind: "value", Item: "9", Want: "x"}}},
		{name: "inside an item", endpoint: "events.read", want: `{"id":1,"a":"x","venue":{"id":2,"b":"x"}}`,
			got: `{"id":1,"a":"","venue":{"id":2,"b":""}}`, counts: map[string]int{"lost": 2}},
		{name: "another resource", endpoint: "events.read", want: `{"id":1,"venue":{"id":2,"a":"x"}}`,
			got:         `{"id":1,"venue":{"id":2,"a":""}}`,
			differences: []difference{{Path: "venue.a", Kind: "value", Want: "x"}}},
		{name: "hosts", endpoint: "venues.read", want: `{"global":"old.example\/es?id=1"}`, got: `{"global":"new.example?id=1"}`,
			counts: map[string]int{"ids": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			endpoint := test.endpoint
			if endpoint == "" {
				endpoint = "events.list"
			}
			c := comparer(t, rules)
			if diff := cmp.Diff(test.differences, c.Documents(endpoint, ok(test.want), ok(test.got)), withoutCauses); diff != "" {
				t.Error(diff)
			}
			got, err := c.Compare(endpoint, ok(test.want), ok(test.got), func() (compare.Document, error) {
				return ok(strings.Replace(test.want, "{", `{"restless":1,`, 1)), nil
			})
			want := compare.Result{Differences: test.differences, Known: test.counts}
			if diff := cmp.Diff(want, got, withoutCauses); diff != "" || err != nil {
				t.Errorf("%v, %s", err, diff)
			}
		})
	}
	answer := func(status int, code string) compare.Document {
		return compare.Document{Status: status, Body: fmt.Appendf(nil, `{"code":%q}`, code)}
	}
	for code, count := range map[string]int{"not_supported": 1, "other": 0} {
		if got := compared(t, comparer(t, rules), ok(`{}`), answer(501, code)); got.Known["refused"] != count ||
			len(got.Differences) != 1-count {
			t.Errorf("%s: %+v", code, got)
		}
	}
}

// compared compares lists of events. The reference does not differ from itself.
func compared(t *testing.T, c *compare.Comparer, want, got compare.Document) compare.Result {
	t.Helper()
	r, err := c.Compare("events.list", want, got, func() (compare.Document, error) { return want, nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestKnownLeaveRoom: known differences, however many, do not push another one out of the report.
func TestKnownLeaveRoom(t *testing.T) {
	list := func(format string) compare.Document {
		var items []string
		for i := range 3 * compare.MaxDifferences {
			items = append(items, fmt.Sprintf(format, i))
		}
		return ok(`{"events":[` + strings.Join(items, ",") + `],"total":` + fmt.Sprint(len(format)) + `}`)
	}
	c := comparer(t, compare.Rules{Known: []compare.Known{{Name: "a", Members: []string{"a"}, Kinds: []compare.Kind{compare.Missing}}}})
	want := list(`{"id":%d,"a":1}`)
	got := list(`{"id":%d}`)
	r := compared(t, c, want, got)
	if len(r.Differences) != 1 || r.Differences[0].Path != "total" || r.Known["a"] != 3*compare.MaxDifferences {
		t.Errorf("%+v", r)
	}
}

func TestKnownAreCountedApart(t *testing.T) {
	var f compare.Findings
	for range 2 {
		s := listStep("en", "/events", 0)
		s.Responses[0].Known = map[string]int{"a": 1, "b": 3}
		f.Add(s)
	}
	want := compare.Report{
		Tallies: []compare.Tally{{Language: "en", Resource: "events", Compared: 2}}, Findings: []compare.Finding{}, Groups: []compare.Group{},
		Known: map[string]int{"a": 2, "b": 6},
	}
	if diff := cmp.Diff(want, f.Snapshot(), withoutCauses); diff != "" {
		t.Error(diff)
	}
}
