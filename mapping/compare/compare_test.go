package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

func comparer(t testing.TB, r compare.Rules) *compare.Comparer {
	t.Helper()
	c, err := r.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ok(body string) compare.Document { return compare.Document{Status: 200, Body: []byte(body)} }

type difference = compare.Difference

func TestDocuments(t *testing.T) {
	const list = `{"events":[{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":"c"}],"total":3}`
	for _, test := range []struct {
		name, want, got string
		rules           compare.Rules
		differences     []difference
	}{
		{name: "nothing", want: `{"a":[1,{"b":null}]}`, got: `{"a":[1,{"b":null}]}`},
		{name: "spelling", want: `{"a":"\/é","b":12,"c":[true]}`, got: ` { "c":[ true ], "b":12.0e0, "a":"/\u00e9" } `},
		{name: "unpaired surrogate", want: `{"a":"\ud83c","b":1}`, got: `{"b":1,"a":"\uD83C"}`},
		{name: "value", want: `{"a":{"b":1}}`, got: `{"a":{"b":2}}`,
			differences: []difference{{Path: "a.b", Kind: "value", Want: "1", Got: "2"}}},
		{name: "large numbers", want: `[10000000000000000001,1e999999999,0.10]`, got: `[10000000000000000002,1e999999999,1e-1]`,
			differences: []difference{{Path: "[]", Kind: "value", Want: "10000000000000000001", Got: "10000000000000000002"}}},
		{name: "boolean", want: `{"a":true}`, got: `{"a":false}`,
			differences: []difference{{Path: "a", Kind: "value", Want: "true", Got: "false"}}},
		{name: "type", want: `{"a":12}`, got: `{"a":"12"}`,
			differences: []difference{{Path: "a", Kind: "type", Want: "number 12", Got: "string 12"}}},
		{name: "null", want: `{"a":null}`, got: `{"a":[1]}`,
			differences: []difference{{Path: "a", Kind: "type", Want: "null", Got: "list of 1"}}},
		{name: "missing and extra", want: `{"a":1,"b":{"x":1},"d":5}`, got: `{"a":1,"c":"y","d":5}`, differences: []difference{
			{Path: "b", Kind: "missing", Want: "object of 1"}, {Path: "c", Kind: "extra", Got: "y"},
		}},
		{name: "item missing", want: list, got: `{"events":[{"id":1,"title":"a"},{"id":3,"title":"c"}],"total":2}`,
			differences: []difference{
				{Path: "events[]", Kind: "missing", Item: "2", Want: "2"}, {Path: "total", Kind: "value", Want: "3", Got: "2"},
			}},
		{name: "item extra, and one changed", want: list,
			got: `{"events":[{"id":9},{"id":1,"title":"a"},{"id":2,"title":"B"},{"id":3,"title":"c"}],"total":3}`,
			differences: []difference{
				{Path: "events[].title", Kind: "value", Item: "2", Want: "b", Got: "B"},
				{Path: "events[]", Kind: "extra", Item: "9", Got: "9"},
			}},
		{name: "all items", want: list, got: `{"events":[],"total":3}`, differences: []difference{
			{Path: "events[]", Kind: "missing", Item: "1", Want: "1"}, {Path: "events[]", Kind: "missing", Item: "2",
				Want: "2"}, {Path: "events[]", Kind: "missing", Item: "3", Want: "3"},
		}},
		{name: "order", want: list, got: `{"events":[{"id":3,"title":"c"},{"id":1,"title":"a"},{"id":2,"title":"b"}],"total":3}`,
			differences: []difference{
				{Path: "events", Kind: "order", Want: "1,2,3", Got: "3,1,2"},
			}},
		{name: "the same item twice", want: `[{"id":1,"a":1},{"id":1,"a":2}]`, got: `[{"id":1,"a":1},{"id":1,"a":3}]`,
			differences: []difference{{Path: "[].a", Kind: "value", Item: "1", Want: "2", Got: "3"}}},
		{name: "elements without ids", want: `{"v":["a","b","c","d"]}`, got: `{"v":["x","a","b","C","d"]}`, differences: []difference{
			{Path: "v[]", Kind: "value", Want: "c", Got: "x"}, {Path: "v[]", Kind: "extra", Got: "C"},
		}},
		{name: "one in front", want: `["a","b"]`, got: `["x","a","b"]`, differences: []difference{{Path: "[]", Kind: "extra", Got: "x"}}},
		{name: "order of elements", want: `["a","b","a"]`, got: `["a","a","b"]`,
			differences: []difference{{Path: "", Kind: "order", Want: "a,b,a", Got: "a,a,b"}}},
		{name: "objects without ids", want: `[{"href":"a"},{"href":"b"}]`, got: `[{"href":"a"},{"href":"c"}]`,
			differences: []difference{{Path: "[].href", Kind: "value", Want: "b", Got: "c"}}},
		{name: "an item without its id", want: `[{"id":1,"t":2},{"id":2,"t":2}]`, got: `[{"t":2},{"id":2,"t":2}]`,
			differences: []difference{{Path: "[].id", Kind: "missing", Want: "1"}}},
		{name: "an item in an item", want: `[{"id":1,"organizer":[{"id":5,"n":1}],"x":1}]`,
			got: `[{"id":1,"organizer":[{"id":5,"n":2}],"x":2}]`, differences: []difference{
				{Path: "[].organizer[].n", Kind: "value", Item: "5", Want: "1", Got: "2"}, {Path: "[].x", Kind: "value", Item: "1",
					Want: "1", Got: "2"},
			}},
		{name: "not JSON", want: `{}`, got: `<html>`,
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 6 bytes"}}},
		{name: "neither is JSON", want: `<p>`, got: `{"a":1,"a":2}`,
			differences: []difference{{Kind: "value", Want: "no JSON, 3 bytes", Got: "no JSON, 13 bytes"}}},
		{name: "more than one value", want: `{}`, got: `{} {}`,
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 5 bytes"}}},
		{name: "more than one value of which one is none", want: `{}`, got: `{}x `,
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 4 bytes"}}},
		{name: "a list in place of a name", want: `{}`, got: `{ [`,
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 3 bytes"}}},
		{name: "not UTF-8", want: `{}`, got: " [\"\xff\"]",
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 6 bytes"}}},
		{name: "nothing at all", want: `{}`, got: ``,
			differences: []difference{{Kind: "type", Want: "object of 0", Got: "no JSON, 0 bytes"}}},
		{name: "deep", want: strings.Repeat("[", 600) + strings.Repeat("]", 600), got: "[]",
			differences: []difference{{Kind: "type", Want: "no JSON, 1200 bytes", Got: "list of 0"}}},
		{name: "a list with gaps", want: list, got: `{"events":{"0":{"id":1,"title":"a"},"2":{"id":2,"title":"b"},"3":{"id":3,` +
			`"title":"c"}},"total":3}`},
		{name: "a list with gaps in another order", want: `{"2":"a","10":"b"}`, got: `{"10":"b","2":"a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := comparer(t, test.rules).Documents("events.list", ok(test.want), ok(test.got))
			if diff := cmp.Diff(test.differences, got, withoutCauses); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	answer := func(status int, code, message string) compare.Document {
		return compare.Document{Status: status, Body: fmt.Appendf(nil, `{"code":%q,"message":%q,"data":{"status":%d}}`, code,
			message, status)}
	}
	missing := answer(404, "rest-event-not-found", "No such event")
	c := comparer(t, compare.Default())
	for _, test := range []struct {
		name        string
		got         compare.Document
		differences []difference
	}{
		{"another message", answer(404, "rest-event-not-found", "Gone"), nil},
		{"another code", answer(404, "rest_no_route", "No such event"),
			[]difference{{Path: "code", Kind: "value", Want: "rest-event-not-found", Got: "rest_no_route"}}},
		{"another status", answer(410, "gone", "No such event"),
			[]difference{{Kind: "status", Want: "404 rest-event-not-found", Got: "410 gone"}}},
		{"no error", ok(`{"code":"x"}`), []difference{{Kind: "status", Want: "404 rest-event-not-found", Got: "200"}}},
		{"no JSON", compare.Document{Status: 502, Body: []byte("<p>")},
			[]difference{{Kind: "status", Want: "404 rest-event-not-found", Got: "502"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.differences, c.Documents("events.read", missing, test.got), withoutCauses); diff != "" {
				t.Error(diff)
			}
		})
	}
}
