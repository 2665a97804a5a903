package compare_test

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

// TestOneChangeIsOneDifference changes one value after the other in every sample. Each change is
// reported once, with its path and kind, and nothing else is.
func TestOneChangeIsOneDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	c := comparer(t, compare.Rules{})
	changes := 0
	for _, s := range samples(t) {
		body := encode(t, s.body)
		v := visitor{}
		v.check = func(want ...difference) {
			changes++
			if len(body) > 5000 && changes%20 != 0 {
				return // a part of a large sample is enough: smaller ones have the same
			}
			var got []difference
			for _, d := range c.Documents(s.endpoint, ok(body), ok(encode(t, s.body))) {
				got = append(got, difference{Path: d.Path, Kind: d.Kind})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", s.name, diff)
			}
		}
		v.visit("", s.body, func(changed any) { s.body = changed }, false)
		if got := encode(t, s.body); got != body {
			t.Fatal("the sample was changed")
		}
	}
	t.Logf("%d changes", changes)
}

// visitor makes all changes to a document, one at a time, and undoes each.
type visitor struct {
	check func(want ...difference)
}

// visit changes the value v at path, which set replaces, and all values in it. A changed id by
// which items are matched is two differences: a missing item and an additional one.
func (v visitor) visit(path string, value any, set func(any), isID bool) {
	try := func(kind compare.Kind, changed any) {
		set(changed)
		v.check(difference{Path: path, Kind: kind})
		set(value)
	}
	switch value := value.(type) {
	case map[string]any:
		v.object(path, value)
		try(compare.Type, "changed")
	case []any:
		v.list(path, value, set)
		try(compare.Type, "changed")
	case string:
		if !isID {
			try(compare.Value, value+" changed")
			try(compare.Type, nil)
		}
	case float64:
		if isID {
			item := path[:len(path)-len(".id")]
			set(value + 100_000)
			v.check(difference{Path: item, Kind: compare.Missing}, difference{Path: item, Kind: compare.Extra})
			set(value)
			return
		}
		try(compare.Value, value+100_000)
		try(compare.Type, strconv.Itoa(int(value)))
	case bool:
		try(compare.Value, !value)
		try(compare.Type, nil)
	case nil:
		try(compare.Type, false)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (v visitor) object(path string, o map[string]any) {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		value := o[name]
		location := join(path, name)
		delete(o, name)
		v.check(difference{Path: location, Kind: compare.Missing})
		o[name] = value
		isID := name == "id" && len(path) > 2 && path[len(path)-2:] == "[]"
		v.visit(location, value, func(changed any) { o[name] = changed }, isID)
	}
	o["one more"] = []any{1.0}
	v.check(difference{Path: join(path, "one more"), Kind: compare.Extra})
	delete(o, "one more")
}

func (v visitor) list(path string, l []any, set func(any)) {
	inside := path + "[]"
	for i := range l {
		v.visit(inside, l[i], func(changed any) { l[i] = changed }, false)
		set(slices.Delete(slices.Clone(l), i, i+1))
		v.check(difference{Path: inside, Kind: compare.Missing})
		set(l)
		for j := range i {
			if !reflect.DeepEqual(l[i], l[j]) {
				l[i], l[j] = l[j], l[i]
				v.check(difference{Path: path, Kind: compare.Order})
				l[i], l[j] = l[j], l[i]
			}
		}
	}
	for i := range len(l) + 1 {
		set(slices.Insert(slices.Clone(l), i, extended(l)))
		v.check(difference{Path: inside, Kind: compare.Extra})
	}
	set(l)
}

// extended adds an element to a list.
func extended(l []any) any {
	for _, element := range l {
		if o, ok := element.(map[string]any); ok && o["id"] != nil {
			return map[string]any{"id": 100_001.0}
		}
	}
	return "one more"
}

// TestTenThousandItems compares lists that are long, deep and in another order: more than linear
// time would be noticed.
func TestTenThousandItems(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	var want, got []any
	for i := range 10_000 {
		item := map[string]any{"id": i, "title": fmt.Sprint("item ", i), "values": []any{i, i + 1}}
		want = append(want, item)
		got = append(got, item)
	}
	slices.Reverse(got)
	c := comparer(t, compare.Rules{})
	differences := c.Documents("events.list", ok(encode(t, want)), ok(encode(t, got)))
	if len(differences) != 1 || differences[0].Kind != compare.Order {
		t.Errorf("%d differences: %.300v", len(differences), differences)
	}
	for i := range got {
		got[i] = map[string]any{"id": i + 20_000}
	}
	if n := len(c.Documents("events.list", ok(encode(t, want)), ok(encode(t, got)))); n != compare.MaxDifferences {
		t.Errorf("%d differences, want %d", n, compare.MaxDifferences)
	}
}
