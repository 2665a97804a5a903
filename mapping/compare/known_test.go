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
			{Name: "lost", Paths: []string{"events.list:events[].a", "events[].b.*"}, Kinds: []compare.Kind{compare.Value, compare.Missing},
				If: func(p compare.Pair) bool { return p.Got.Text == "" && p.Beside("id").Want.Text != "9" }},
			{Name: "ids", Paths: []string{"**.global"}, Kinds: []compare.Kind{compare.Value},
				If: func(p compare.Pair) bool { return strings.Replace(p.Want.Text, "/es", "", 1) == p.Got.Text }},
			{Name: "refused", Statuses: [][2]string{{"200", "501 not_supported"}}},
		},
	}
	known := func(path, kind, item, want, got, name string, times int) difference {
		return difference{Path: path, Kind: compare.Kind(kind), Item: item, Want: want, Got: got, Known: name, Times: times}
	}
	for _, test := range []struct {
		name, endpoint, want, got string
		differences               []difference
	}{
		{name: "all", want: `{"events":[{"id":1,"a":"x"},{"id":2,"a":"y","b":{"c":1}}]}`,
			got:         `{"events":[{"id":1,"a":""},{"id":2,"a":"","b":{}}]}`,
			differences: []difference{known("events[].a", "value", "1", "x", "", "lost", 3)}},
		{name: "a real one after it", want: `{"events":[{"id":1,"a":"x","z":1}]}`, got: `{"events":[{"id":1,"a":"","z":2}]}`,
			differences: []difference{{Path: "events[].z", Kind: "value", Item: "1", Want: "1", Got: "2"},
				known("events[].a", "value", "1", "x", "", "lost", 1)}},
		{name: "another value", want: `{"events":[{"id":1,"a":"x"}]}`, got: `{"events":[{"id":1,"a":"y"}]}`,
			differences: []difference{{Path: "events[].a", Kind: "value", Item: "1", Want: "x", Got: "y"}}},
		{name: "another kind", want: `{"events":[{"id":1}]}`, got: `{"events":[{"id":1,"a":""}]}`,
			differences: []difference{{Path: "events[].a", Kind: "extra", Item: "1"}}},
		{name: "beside another", want: `{"events":[{"id":9,"a":"x"}]}`, got: `{"events":[{"id":9,"a":""}]}`,
			differences: []difference{{Path: "events[].a", Kind: "value", Item: "9", Want: "x"}}},
		{name: "another endpoint", endpoint: "events.read", want: `{"events":[{"id":1,"a":"x"}]}`, got: `{"events":[{"id":1,"a":""}]}`,
			differences: []difference{{Path: "events[].a", Kind: "value", Item: "1", Want: "x"}}},
		{name: "hosts", want: `{"global":"old.example\/es?id=1"}`, got: `{"global":"new.example?id=1"}`,
			differences: []difference{known("global", "value", "", "old.example/es?id=1", "new.example?id=1", "ids", 1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			endpoint := test.endpoint
			if endpoint == "" {
				endpoint = "events.list"
			}
			c := comparer(t, rules)
			got := c.Documents(endpoint, ok(test.want), ok(test.got))
			if diff := cmp.Diff(test.differences, got, withoutCauses); diff != "" {
				t.Error(diff)
			}
			real, noise := c.Real(endpoint, ok(test.want), ok(strings.Replace(test.want, "{", `{"restless":1,`, 1)), ok(test.got))
			if diff := cmp.Diff(test.differences, real, withoutCauses); diff != "" || noise != nil {
				t.Errorf("noise %v, %s", noise, diff)
			}
		})
	}
	answer := func(status int, code string) compare.Document {
		return compare.Document{Status: status, Body: fmt.Appendf(nil, `{"code":%q}`, code)}
	}
	for code, name := range map[string]string{"not_supported": "refused", "other": ""} {
		if got := comparer(t, rules).Documents("events.list", ok(`{}`), answer(501, code)); len(got) != 1 || got[0].Known != name {
			t.Errorf("%s: %+v", code, got)
		}
	}
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
	c := comparer(t, compare.Rules{Known: []compare.Known{{Name: "a", Paths: []string{"**.a"}, Kinds: []compare.Kind{compare.Missing}}}})
	want, got := list(`{"id":%d,"a":1}`), list(`{"id":%d}`)
	found := c.Documents("events.list", want, got)
	if len(found) != 2 || found[0].Path != "total" || found[1].Times != 3*compare.MaxDifferences {
		t.Errorf("%+v", found)
	}
	if unknown := compare.Unknown(found); len(unknown) != 1 || len(compare.Unknown(unknown)) != 1 || len(compare.Unknown(found[1:])) != 0 {
		t.Errorf("%+v", unknown)
	}
}

func TestKnownAreCountedApart(t *testing.T) {
	var f compare.Findings
	for range 2 {
		f.Add(listStep("en", "/events", 0, difference{Path: "c", Kind: compare.Value, Known: "a", Times: 1},
			difference{Path: "a", Kind: compare.Value, Known: "b", Times: 3}))
	}
	want := compare.Report{
		Cells: []compare.Tally{{Language: "en", Resource: "events", Compared: 2}}, Findings: []compare.Finding{}, Groups: []compare.Group{},
		Known: []compare.KnownCount{{Name: "a", Count: 2, Documents: 2}, {Name: "b", Count: 6, Documents: 2}},
	}
	if diff := cmp.Diff(want, f.Snapshot(), withoutCauses); diff != "" {
		t.Error(diff)
	}
}

func TestKnownPathsAreChecked(t *testing.T) {
	_, err := compare.Rules{Known: []compare.Known{{Name: "x", Paths: []string{"a..b"}}}}.Compile()
	if err == nil || !strings.Contains(err.Error(), `known: x: path "a..b"`) {
		t.Error(err)
	}
}
