package causes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/causes"
	"github.com/calfacade/calfacade/mapping/compare"
)

// site is a site with items, by resource and id. Events show others.
type site map[string]map[int]map[string]any

// build makes a site of so many venues, as many tags, and four times as many events.
func build(n int) site {
	s := site{"venues": {}, "tags": {}, "events": {}}
	for id := 1; id <= n; id++ {
		s["venues"][id] = map[string]any{"id": id, "slug": fmt.Sprint("v", id), "venue": fmt.Sprint("Venue ", id), "city": fmt.Sprint("City ", id), "author": "2"}
		s["tags"][id] = map[string]any{"id": id, "name": fmt.Sprint("Tag ", id), "count": id}
	}
	for id := 1; id <= 4*n; id++ {
		s["events"][id] = map[string]any{
			"id": id, "slug": fmt.Sprint("e", id), "title": fmt.Sprint("Event ", id), "cost": "5", "featured": false,
			"start_date": fmt.Sprintf("2027-01-%02d 10:00:00", 1+id%28), "at": 1 + id%n, "tagged": []int{1 + id%n, 1 + (id+1)%n},
		}
	}
	return s
}

// show returns an item as a response shows it; read as that of a call for it.
func (s site) show(resource string, id int, read bool) map[string]any {
	item := maps.Clone(s[resource][id])
	at, isEvent := item["at"].(int)
	if !isEvent {
		return item
	}
	item["venue"] = s.show("venues", at, false)
	var tags []any
	for _, tag := range item["tagged"].([]int) {
		tags = append(tags, s.show("tags", tag, false))
	}
	item["tags"] = tags
	delete(item, "at")
	delete(item, "tagged")
	if start, ok := item["start_date"].(string); ok {
		item["start_date_details"] = map[string]any{"year": start[:4], "day": start[8:10]}
		item["utc_start_date"] = strings.Replace(start, " 10:", " 09:", 1)
	} else if _, ok := item["start_date"]; ok {
		item["start_date_details"], item["utc_start_date"] = nil, nil
	}
	if read {
		location := map[string]any{}
		if name, ok := item["venue"].(map[string]any)["venue"]; ok {
			location["name"] = name
		}
		linked := map[string]any{"location": location}
		item["json_ld"] = linked
		for from, to := range map[string]string{"title": "name", "start_date": "startDate"} {
			if value, ok := item[from]; ok {
				linked[to] = value
			}
		}
	}
	return item
}

// fields are what can be planted.
var fields = map[string][]string{
	"venues": {"slug", "venue", "city", "author"},
	"tags":   {"name", "count"},
	"events": {"title", "cost", "featured", "start_date"},
}

// plant changes, removes or retypes n members of items, and returns their names.
func (s site) plant(random *rand.Rand, n int) []string {
	planted := map[string]bool{}
	for len(planted) < n {
		resource := []string{"venues", "tags", "events"}[random.IntN(3)]
		id := 1 + random.IntN(len(s[resource]))
		field := fields[resource][random.IntN(len(fields[resource]))]
		name := fmt.Sprintf("%s %d %s", resource, id, field)
		if planted[name] {
			continue
		}
		planted[name] = true
		item := s[resource][id]
		switch kind := random.IntN(4); {
		case kind == 0:
			delete(item, field)
		case kind == 1:
			item[field] = nil
		case field == "start_date":
			item[field] = fmt.Sprintf("2028-02-%02d 10:00:00", 1+random.IntN(28))
		default:
			item[field] = map[bool]any{true: true, false: fmt.Sprintf("planted %d", random.IntN(3))}[field == "featured"]
		}
	}
	return slices.Sorted(maps.Keys(planted))
}

// collect compares all lists and items of two sites.
func collect(t *testing.T, legacy, candidate site, limits causes.Limits) *causes.Collector {
	t.Helper()
	rules, err := compare.Default().Compile()
	if err != nil {
		t.Fatal(err)
	}
	c := &causes.Collector{Limits: limits}
	of := func(endpoint, call string, item int, want, got any) (seen []causes.Seen) {
		for _, d := range rules.Documents(endpoint, document(t, want), document(t, got)) {
			s := causes.Seen{Language: "en", Endpoint: endpoint, Call: call, Difference: d}
			if item != 0 {
				s.Item = fmt.Sprint(item)
			}
			seen = append(seen, s)
		}
		return seen
	}
	for _, resource := range []string{"events", "venues", "tags"} {
		var want, got []any
		for id := 1; id <= len(legacy[resource]); id++ {
			want, got = append(want, legacy.show(resource, id, false)), append(got, candidate.show(resource, id, false))
		}
		c.Add(of(resource+".list", "/"+resource, 0, map[string]any{resource: want}, map[string]any{resource: got}))
	}
	for _, resource := range []string{"events", "venues", "tags"} {
		for id := 1; id <= len(legacy[resource]); id++ {
			want, got := legacy.show(resource, id, true), candidate.show(resource, id, true)
			seen := of(resource+".read", fmt.Sprintf("/%s/%d", resource, id), id, want, got)
			if resource != "tags" {
				call := fmt.Sprintf("/%s/by-slug/%v", resource, legacy[resource][id]["slug"])
				if got["slug"] != want["slug"] {
					seen = append(seen, causes.Seen{Language: "en", Endpoint: resource + ".read_by_slug", Call: call, Item: fmt.Sprint(id), Difference: status(t, rules)})
				} else {
					seen = append(seen, of(resource+".read_by_slug", call, id, want, got)...)
				}
			}
			c.Add(seen)
		}
	}
	return c
}

// status is the difference between an item and an error.
func status(t *testing.T, rules *compare.Comparer) compare.Difference {
	t.Helper()
	return rules.Documents("venues.read_by_slug", document(t, map[string]any{}), compare.Document{Status: 404, Body: []byte(`{}`)})[0]
}

func document(t *testing.T, v any) compare.Document {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return compare.Document{Status: 200, Body: data}
}

// TestOneFindingForEachPlant plants members at random. Each is one finding, whatever shows it:
// lists, items by id and slug, the events at a venue, and members that repeat it.
func TestOneFindingForEachPlant(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		legacy, candidate := build(5), build(5)
		want := candidate.plant(random, int(seed%20))
		r := collect(t, legacy, candidate, causes.Limits{}).Result()
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.Resource, f.ID, f.Member))
			if views := len(f.Views); views == 0 || views > f.Responses {
				t.Errorf("seed %d: %d of %d responses", seed, views, f.Responses)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-planted +found):\n%s", seed, diff)
		}
		inKinds := 0
		for _, k := range r.Kinds {
			inKinds += k.Findings
		}
		if inKinds != len(want) || r.Total != len(want) || r.Ungrouped != 0 {
			t.Errorf("seed %d: %d in kinds, %d in total, want %d", seed, inKinds, r.Total, len(want))
		}
	}
}

// TestOrderOfResponsesMeansNothing: the findings are the same however their responses come.
func TestOrderOfResponsesMeansNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	kinds := []compare.Kind{compare.Value, compare.Missing}
	var batches [][]causes.Seen
	differing := map[string]bool{}
	for range 400 {
		s := causes.Seen{Language: "en", Endpoint: []string{"events.list", "events.read"}[random.IntN(2)], Call: fmt.Sprint("/", random.IntN(30))}
		s.Path, s.Kind = "title", kinds[random.IntN(2)]
		s.Cause = compare.Cause{Resource: "events", ID: fmt.Sprint(random.IntN(20)), Member: "title", Values: fmt.Sprint(s.Kind, random.IntN(2))}
		differing[fmt.Sprint(s.Cause)] = true
		batches = append(batches, []causes.Seen{s})
	}
	for range 5 {
		var c causes.Collector
		for _, b := range batches {
			c.Add(b)
		}
		if r := c.Result(); len(r.Findings) != len(differing) || r.Total != len(differing) {
			t.Errorf("%d findings, want %d", len(r.Findings), len(differing))
		}
		random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	}
}

// TestLimits: what exceeds the limits is counted.
func TestLimits(t *testing.T) {
	legacy, candidate := build(50), build(50)
	for id := range candidate["events"] {
		candidate["events"][id]["title"], candidate["events"][id]["cost"] = "x", "y"
	}
	r := collect(t, legacy, candidate, causes.Limits{PerKind: 30, Listed: 40}).Result()
	if len(r.Findings) != 40 || r.Total != 400 || r.Kinds[0].Findings+r.Kinds[1].Findings != 400 || r.Kinds[0].Listed+r.Kinds[1].Listed != 40 {
		t.Errorf("%d findings of %d, in kinds %+v", len(r.Findings), r.Total, r.Kinds)
	}
	c := collect(t, legacy, candidate, causes.Limits{Causes: 100})
	if r, items := c.Result(), c.Affected("en", "events"); r.Total != 100 || r.Ungrouped == 0 || items.Items > 100 || items.Findings != 100 {
		t.Errorf("%d findings, %d beyond, %+v", r.Total, r.Ungrouped, items)
	}
	c = collect(t, legacy, candidate, causes.Limits{Kinds: 1})
	if r := c.Result(); len(r.Kinds) != 1 || len(r.Findings) != 200 || r.Ungrouped != 200 {
		t.Errorf("%d findings of %d kinds, %d beyond", len(r.Findings), len(r.Kinds), r.Ungrouped)
	}
}
