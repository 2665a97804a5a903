package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

// twice compares a candidate with two readings of the reference.
func twice(c *compare.Comparer, first, again, candidate compare.Document) (real, noise []difference) {
	r, _ := c.Compare("events.list", first, candidate, func() (compare.Document, error) { return again, nil })
	return r.Differences, r.Noise
}

func TestReal(t *testing.T) {
	list := func(items string) string { return `{"events":[` + items + `]}` }
	for _, test := range []struct {
		name                    string
		first, again, candidate string
		real, noise             []difference
	}{
		{name: "nothing", first: `{"a":1}`, again: `{"a":1}`, candidate: `{"a":1}`},
		{name: "the candidate alone", first: `{"a":1}`, again: `{"a":1}`, candidate: `{"a":2}`,
			real: []difference{{Path: "a", Kind: "value", Want: "1", Got: "2"}}},
		{name: "the reference alone", first: `{"a":1}`, again: `{"a":2}`, candidate: `{"a":1}`},
		{name: "the candidate is with the second", first: `{"a":1}`, again: `{"a":2}`, candidate: `{"a":2}`,
			noise: []difference{{Path: "a", Kind: "value", Want: "1", Got: "2"}}},
		{name: "all differ", first: `{"a":1,"b":1}`, again: `{"a":2,"b":1}`, candidate: `{"a":3,"b":3}`,
			real:  []difference{{Path: "b", Kind: "value", Want: "1", Got: "3"}},
			noise: []difference{{Path: "a", Kind: "value", Want: "1", Got: "3"}}},
		{name: "one item is restless, another is not", first: list(`{"id":1,"a":1},{"id":2,"a":1}`),
			again: list(`{"id":1,"a":2},{"id":2,"a":1}`), candidate: list(`{"id":1,"a":3},{"id":2,"a":3}`),
			real:  []difference{{Path: "events[].a", Kind: "value", Item: "2", Want: "1", Got: "3"}},
			noise: []difference{{Path: "events[].a", Kind: "value", Item: "1", Want: "1", Got: "3"}}},
		{name: "an item was added meanwhile", first: list(`{"id":1}`), again: list(`{"id":1},{"id":2}`),
			candidate: list(`{"id":1},{"id":2},{"id":3}`),
			real:      []difference{{Path: "events[]", Kind: "extra", Item: "3", Got: "3"}},
			noise:     []difference{{Path: "events[]", Kind: "extra", Item: "2", Got: "2"}}},
		{name: "an item went meanwhile", first: list(`{"id":1},{"id":2}`), again: list(`{"id":1}`), candidate: list(`{"id":1}`),
			noise: []difference{{Path: "events[]", Kind: "missing", Item: "2", Want: "2"}}},
		{name: "an element without an id", first: `["a","b"]`, again: `["a","c"]`, candidate: `["x","d"]`,
			real:  []difference{{Path: "[]", Kind: "value", Want: "a", Got: "x"}},
			noise: []difference{{Path: "[]", Kind: "value", Want: "b", Got: "d"}}},
		{name: "what it is in is restless", first: `{"v":{"c":1}}`, again: `{"v":5}`, candidate: `{"v":{"c":2}}`,
			noise: []difference{{Path: "v.c", Kind: "value", Want: "1", Got: "2"}}},
		{name: "a secret is restless", first: `{"nonce":"1"}`, again: `{"nonce":"2"}`, candidate: `{"nonce":"3"}`,
			noise: []difference{{Path: "nonce", Kind: "value", Want: "(hidden)", Got: "(hidden)"}}},
		{name: "the reference is a mess", first: `<p>`, again: `{}`, candidate: `{"a":1}`,
			noise: []difference{{Kind: "type", Want: "no JSON, 3 bytes", Got: "object of 1"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			real, noise := twice(comparer(t, compare.Rules{}), ok(test.first), ok(test.again), ok(test.candidate))
			if diff := cmp.Diff(test.real, real, withoutCauses); diff != "" {
				t.Errorf("real: %s", diff)
			}
			if diff := cmp.Diff(test.noise, noise, withoutCauses); diff != "" {
				t.Errorf("noise: %s", diff)
			}
		})
	}
}

func TestRealOfStatuses(t *testing.T) {
	c := comparer(t, compare.Rules{})
	down := compare.Document{Status: 503, Body: []byte(`{"code":"down"}`)}
	if real, noise := twice(c, down, ok(`{}`), ok(`{}`)); len(real) != 0 || len(noise) != 1 {
		t.Errorf("the reference was down: %v, %v", real, noise)
	}
	if real, noise := twice(c, ok(`{}`), ok(`{}`), down); len(real) != 1 || len(noise) != 0 {
		t.Errorf("the candidate was down: %v, %v", real, noise)
	}
}

// TestRealOfAReferenceThatProvesNothing: a reference differs from itself in more places than
// are reported. The candidate equals the first response in some places and the second in others,
// so that more differences are reported.
func TestRealOfAReferenceThatProvesNothing(t *testing.T) {
	document := func(first, second, suffix string) compare.Document {
		var b strings.Builder
		fmt.Fprintf(&b, `{"first":%q,"second":%q`, first, second)
		for i := range compare.MaxDifferences {
			fmt.Fprintf(&b, `,"%d":%q`, i, suffix)
		}
		return ok(b.String() + `}`)
	}
	real, noise := twice(comparer(t, compare.Rules{}), document("1", "1", "1"), document("2", "2", "2"),
		document("1", "2", "3"))
	if len(real) != 0 || len(noise) != compare.MaxDifferences {
		t.Errorf("%d real, %d noise", len(real), len(noise))
	}
}
