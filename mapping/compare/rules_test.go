package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

// TestRules: the values that each rule makes equal, and those that remain different.
func TestRules(t *testing.T) {
	twoSites := compare.Rules{TwoSites: true}
	hosts := compare.Rules{Hosts: []string{"Old.example", "new.example:8081"}}
	ignoring := func(member string) compare.Rules { return compare.Rules{Ignore: []string{member}} }
	for _, test := range []struct {
		name      string
		rules     compare.Rules
		endpoint  string // "" for events.list
		want, got string
		equal     bool
	}{
		{name: "no path", want: `{"a":1}`, got: `{"a":2}`},
		{name: "member", rules: ignoring("a"), want: `{"a":1}`, got: `{"a":{"b":2}}`, equal: true},
		{name: "member that is missing", rules: ignoring("a"), want: `{"a":1}`, got: `{}`, equal: true},
		{name: "member that is extra", rules: ignoring("a"), want: `{}`, got: `{"a":1}`, equal: true},
		{name: "member of a member", rules: ignoring("a"), want: `{"b":{"a":1}}`, got: `{"b":{"a":2}}`},
		{name: "member of that member", rules: ignoring("b.a"), want: `{"b":{"a":1}}`, got: `{"b":{"a":2}}`, equal: true},
		{name: "of elements", rules: ignoring("b.a"), want: `{"b":[{"a":1}]}`, got: `{"b":[{"a":2}]}`, equal: true},
		{name: "a longer name", rules: ignoring("a"), want: `{"ab":1}`, got: `{"ab":2}`},
		{name: "of all items", rules: ignoring("a"), want: `{"events":[{"id":1,"a":1,"venue":{"a":1}}]}`,
			got: `{"events":[{"id":1,"a":2,"venue":{"a":2}}]}`, equal: true},
		{name: "of venues", rules: ignoring("venues.a"), want: `{"events":[{"id":1,"venue":{"a":1},"organizer":[{"id":2}]}]}`,
			got: `{"events":[{"id":1,"venue":{"a":2},"organizer":[{"id":2}]}]}`, equal: true},
		{name: "of other items", rules: ignoring("venues.a"), want: `{"events":[{"id":1,"a":1}]}`, got: `{"events":[{"id":1,"a":2}]}`},
		{name: "of lists", rules: ignoring("events.total"), want: `{"events":[],"total":1}`, got: `{"events":[],"total":2}`, equal: true},
		{name: "of other lists", rules: ignoring("venues.total"), want: `{"total":1}`, got: `{"total":2}`},
		{name: "of items by their slugs", rules: ignoring("events.a"), endpoint: "events.read_by_slug", want: `{"a":1}`, got: `{"a":2}`,
			equal: true},
		{name: "further down", rules: ignoring("events.image.sizes"), want: `{"events":[{"id":1,"image":{"sizes":{"x":1}}}]}`,
			got: `{"events":[{"id":1,"image":{"sizes":{"x":2}}}]}`, equal: true},
		{name: "ignored ids", rules: ignoring("events.id"), want: `{"events":[{"id":1,"a":1},{"id":2,"a":2}]}`,
			got: `{"events":[{"id":7,"a":1},{"id":8,"a":2}]}`, equal: true},
		{name: "ignored in elements without ids", rules: ignoring("m"),
			want: `{"events":[{"a":1,"m":1},{"a":2,"m":2}]}`, got: `{"events":[{"a":1,"m":3},{"a":2,"m":4}]}`, equal: true},

		{name: "a set", rules: twoSites, endpoint: "events.read", want: `{"tags":[1,1,2]}`, got: `{"tags":[1,2,1]}`, equal: true},
		{name: "a set of objects", rules: compare.Rules{TwoSites: true, Ignore: []string{"tags.m"}}, endpoint: "events.read",
			want: `{"tags":[{"a":1,"m":1},{"a":2}]}`, got: `{"tags":[{"a":2},{"a":1,"m":2}]}`, equal: true},
		{name: "a set is no set of another size", rules: twoSites, endpoint: "events.read", want: `{"tags":[1,1,2]}`,
			got: `{"tags":[1,2,2]}`},
		{name: "the order of terms on one site", endpoint: "events.read", want: `{"tags":[1,2]}`, got: `{"tags":[2,1]}`},

		{name: "empty", rules: twoSites, endpoint: "events.read", want: `{"custom_fields":[]}`, got: `{"custom_fields":{}}`, equal: true},
		{name: "empty in elements without ids", rules: twoSites, want: `{"events":[{"custom_fields":[]}]}`,
			got: `{"events":[{"custom_fields":{}}]}`, equal: true},
		{name: "empty elsewhere", rules: twoSites, endpoint: "events.read", want: `{"b":[]}`, got: `{"b":{}}`},
		{name: "not empty", rules: twoSites, endpoint: "events.read", want: `{"custom_fields":[]}`, got: `{"custom_fields":{"b":1}}`},

		{name: "hosts", rules: hosts, want: `["https://old.example/b?u=https://OLD.example"]`,
			got: `["http://new.example:8081/b?u=HTTP://new.example:8081"]`, equal: true},
		{name: "hosts in a text", rules: hosts, want: `["<a href='https://old.example/'>x</a>, ftp://x.example"]`,
			got: `["<a href='https://new.example:8081/'>x</a>, ftp://x.example"]`, equal: true},
		{name: "hosts of global ids", rules: hosts, want: `["old.example?id=5"]`, got: `["new.example:8081?id=5"]`, equal: true},
		{name: "hosts of global ids without ports", rules: hosts, want: `["old.example?id=5"]`, got: `["new.example?id=5"]`, equal: true},
		{name: "another path", rules: hosts, want: `["https://old.example/b"]`, got: `["https://new.example:8081/c"]`},
		{name: "another host", rules: hosts, want: `["https://old.example/b"]`, got: `["https://new.example/b"]`},
		{name: "a longer host", rules: hosts, want: `["https://old.example/b"]`, got: `["https://old.example.evil/b"]`},
		{name: "another scheme", rules: hosts, want: `["https://old.example/b"]`, got: `["ftp://old.example/b"]`},
		{name: "no scheme of the web", rules: hosts, want: `["ftp://old.example/b"]`, got: `["ftp://new.example:8081/b"]`},
		{name: "a host in a text", rules: hosts, want: `["see old.example"]`, got: `["see new.example:8081"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			endpoint := test.endpoint
			if endpoint == "" {
				endpoint = "events.list"
			}
			c := comparer(t, test.rules)
			for _, pair := range [][2]string{{test.want, test.got}, {test.got, test.want}} {
				if got := c.Documents(endpoint, ok(pair[0]), ok(pair[1])); (got == nil) != test.equal {
					t.Errorf("%s and %s: %v, want the same: %v", pair[0], pair[1], got, test.equal)
				}
			}
		})
	}
}

func TestCompileTellsAllFaults(t *testing.T) {
	_, err := compare.Rules{Ignore: []string{"", "a..b", "a.", "events.list:a", "fine.b", "events[].a", "*", "**.a", "a b"}}.Compile()
	want := `ignore: "" is no member, such as venues.city, or city of all items
ignore: "a..b" is no member, such as venues.city, or city of all items
ignore: "a." is no member, such as venues.city, or city of all items
ignore: "events.list:a" is no member, such as venues.city, or city of all items
ignore: "events[].a" is no member, such as venues.city, or city of all items
ignore: "*" is no member, such as venues.city, or city of all items
ignore: "**.a" is no member, such as venues.city, or city of all items
ignore: "a b" is no member, such as venues.city, or city of all items`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestDefault: the rules that follow from the table. The terms of an event are sets, and lists of
// items are not.
func TestDefault(t *testing.T) {
	c := comparer(t, compare.Default())
	event := func(s string) string { return `{"events":[{"id":1,` + s + `}]}` }
	for _, test := range []struct {
		name, endpoint, want, got string
		differences               []difference
	}{
		{name: "terms of an event in a list", endpoint: "events.list", want: event(`"tags":[{"id":1},{"id":2}]`),
			got: event(`"tags":[{"id":2},{"id":1}]`)},
		{name: "terms of an event", endpoint: "events.read_by_slug", want: `{"categories":[{"id":1},{"id":2}]}`,
			got: `{"categories":[{"id":2},{"id":1}]}`},
		{name: "a list of terms", endpoint: "categories.list", want: `{"categories":[{"id":1},{"id":2}]}`,
			got:         `{"categories":[{"id":2},{"id":1}]}`,
			differences: []difference{{Path: "categories", Kind: "order", Want: "1,2", Got: "2,1"}}},
		{name: "organizers of an event", endpoint: "events.read", want: `{"organizer":[{"id":1},{"id":2}]}`,
			got:         `{"organizer":[{"id":2},{"id":1}]}`,
			differences: []difference{{Path: "organizer", Kind: "order", Want: "1,2", Got: "2,1"}}},
		{name: "when an item was brought in", endpoint: "events.list",
			want: event(`"venue":{"modified":"a"},"modified":"b","modified_utc":"c"`),
			got:  event(`"venue":{"modified":"d"},"modified":"e","modified_utc":"f"`)},
		{name: "the number of a row", endpoint: "tags.read", want: `{"id":1,"term_taxonomy_id":2}`, got: `{"id":1,"term_taxonomy_id":3}`},
		{name: "objects without members", endpoint: "events.list", want: event(`"image":{"sizes":{}},"tags":[{"id":5,"meta":[]}]`),
			got: event(`"image":{"sizes":[]},"tags":[{"id":5,"meta":{}}]`)},
		{name: "what others put there", endpoint: "events.list", want: event(`"custom_fields":{"x":{"y":"a"}}`),
			got:         event(`"custom_fields":{"x":{"y":"b"}}`),
			differences: []difference{{Path: "events[].custom_fields.x.y", Kind: "value", Item: "1", Want: "(hidden)", Got: "(hidden)"}}},
		{name: "number for string", endpoint: "events.list", want: event(`"author":"1"`), got: event(`"author":1`),
			differences: []difference{{Path: "events[].author", Kind: "type", Item: "1", Want: "string 1", Got: "number 1"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.differences, c.Documents(test.endpoint, ok(test.want), ok(test.got)), withoutCauses); diff != "" {
				t.Error(diff)
			}
		})
	}
}
