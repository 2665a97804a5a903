package compare_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
)

// site is a site with items. Events show others.
type site struct {
	items    map[string]map[int]map[string]any // by resource and id
	unlisted map[string]bool                   // items that cannot be read: resource and id
	reversed map[string]bool                   // lists by resource
	beyond   map[string]int                    // surplus in the totals of lists
}

// build makes a site of so many venues, as many tags, and four times as many events.
func build(n int) site {
	items := map[string]map[int]map[string]any{"venues": {}, "tags": {}, "events": {}}
	for id := 1; id <= n; id++ {
		items["venues"][id] = map[string]any{"id": id, "slug": fmt.Sprint("v", id), "venue": fmt.Sprint("Venue ", id),
			"city": fmt.Sprint("City ", id), "author": "2"}
		items["tags"][id] = map[string]any{"id": id, "name": fmt.Sprint("Tag ", id), "count": id}
	}
	for id := 1; id <= 4*n; id++ {
		items["events"][id] = map[string]any{
			"id": id, "slug": fmt.Sprint("e", id), "title": fmt.Sprint("Event ", id), "cost": "5", "featured": false,
			"start_date": fmt.Sprintf("2027-01-%02d 10:00:00", 1+id%28), "end_date": "2029-01-01 10:00:00", "at": 1 +
				id%n, "tagged": []int{1 + id%n, 1 + (id+1)%n},
			"image": map[string]any{"id": 900 + id, "url": fmt.Sprint("https://a.example/", id)},
		}
	}
	return site{
		items:    items,
		unlisted: map[string]bool{},
		reversed: map[string]bool{},
		beyond:   map[string]int{},
	}
}

// listed returns the ids of a list, events by their dates.
func (s site) listed(resource string) []int {
	ids := slices.Sorted(maps.Keys(s.items[resource]))
	ids = slices.DeleteFunc(ids, func(id int) bool { return s.unlisted[fmt.Sprint(resource, id)] })
	slices.SortStableFunc(ids, func(a, b int) int {
		first, _ := s.items[resource][a]["start_date"].(string)
		second, _ := s.items[resource][b]["start_date"].(string)
		return strings.Compare(first, second)
	})
	if s.reversed[resource] {
		slices.Reverse(ids)
	}
	return ids
}

// list returns the document of a list.
func (s site) list(resource string) map[string]any {
	items := []any{}
	for _, id := range s.listed(resource) {
		items = append(items, s.show(resource, id, false))
	}
	return map[string]any{resource: items, "total": 100 + s.beyond[resource]}
}

// show returns an item as a response shows it; read as a call for it is.
func (s site) show(resource string, id int, single bool) map[string]any {
	item := maps.Clone(s.items[resource][id])
	index, isEvent := item["at"].(int)
	if !isEvent {
		return item
	}
	item["venue"] = s.show("venues", index, false)
	var tags []any
	for _, tag := range item["tagged"].([]int) {
		tags = append(tags, s.show("tags", tag, false))
	}
	item["tags"] = tags
	delete(item, "at")
	delete(item, "tagged")
	if end, ok := item["end_date"].(string); ok {
		item["utc_end_date"] = strings.Replace(end, " 10:", " 09:", 1)
	} else if _, ok := item["end_date"]; ok {
		item["utc_end_date"] = nil
	}
	if start, ok := item["start_date"].(string); ok {
		item["start_date_details"] = map[string]any{"year": start[:4], "day": start[8:10]}
		item["utc_start_date"] = strings.Replace(start, " 10:", " 09:", 1)
	} else if _, ok := item["start_date"]; ok {
		item["start_date_details"], item["utc_start_date"] = nil, nil
	}
	if single {
		location := map[string]any{}
		if name, ok := item["venue"].(map[string]any)["venue"]; ok {
			location["name"] = name
		}
		linked := map[string]any{"location": location}
		item["json_ld"] = linked
		for name, property := range map[string]string{"title": "name", "start_date": "startDate"} {
			if value, ok := item[name]; ok {
				linked[property] = value
			}
		}
	}
	return item
}

// fields are the members of items in which a difference can be planted.
var fields = map[string][]string{
	"venues": {"slug", "venue", "city", "author"},
	"tags":   {"name", "count"},
	"events": {"title", "cost", "featured", "start_date", "end_date", "image.url", "venue", "tags[]"},
}

// plant makes n changes, and returns the findings that they are.
func (s site) plant(random *rand.Rand, n int) []string {
	planted := map[string]bool{}
	used := map[string]bool{}
	for len(planted) < n {
		resource := []string{"venues", "tags", "events"}[random.IntN(3)]
		id := 1 + random.IntN(4)
		member := ""
		if resource == "events" {
			id = 1 + random.IntN(20)
		}
		item := fmt.Sprint(resource, id)
		switch kind := random.IntN(12); {
		case kind == 0 && !s.reversed[resource]:
			s.reversed[resource], planted[resource+"  "+resource] = true, true
			continue
		case kind == 1:
			s.beyond[resource] = 7
			planted[resource+"  total"] = true
			continue
		case kind == 2 && !used[item]:
			s.unlisted[item] = true
		case kind == 3:
			id = 500 + random.IntN(9)
			s.items[resource][id] = maps.Clone(s.items[resource][1])
			s.items[resource][id]["id"] = id
		case s.unlisted[item]:
			continue
		default:
			member = fields[resource][random.IntN(len(fields[resource]))]
			used[item] = true
		}
		name := fmt.Sprintf("%s %d %s", resource, id, member)
		if member != "" && !planted[name] {
			change(random, s.items[resource][id], member)
		}
		planted[name] = true
	}
	return slices.Sorted(maps.Keys(planted))
}

// change changes, removes or retypes a member of an item.
func change(random *rand.Rand, item map[string]any, member string) {
	switch kind := random.IntN(4); {
	case member == "venue" && item["at"] != nil:
		item["at"] = 1 + item["at"].(int)%5
	case member == "tags[]":
		item["tagged"] = item["tagged"].([]int)[1:]
	case member == "image.url":
		item["image"] = map[string]any{"id": item["image"].(map[string]any)["id"], "url": "https://b.example/"}
	case kind == 0:
		delete(item, member)
	case kind == 1:
		item[member] = nil
	case member == "start_date" || member == "end_date":
		item[member] = fmt.Sprintf("2028-02-%02d 10:00:00", 1+random.IntN(28))
	default:
		item[member] = map[bool]any{true: true, false: fmt.Sprintf("planted %d", random.IntN(3))}[member == "featured"]
	}
}

// collect compares all lists and items of two sites.
func collect(t *testing.T, legacy, candidate site) *compare.Findings {
	t.Helper()
	rules, err := compare.Default().Compile()
	if err != nil {
		t.Fatal(err)
	}
	c := &compare.Findings{Most: 10_000}
	responseOf := func(endpoint, call string, want, got any) compare.Response {
		result := compare.Result{Differences: rules.Documents(endpoint, document(t, want), document(t, got))}
		return compare.Response{Endpoint: endpoint, Call: call, Result: result}
	}
	for _, resource := range []string{"events", "venues", "tags"} {
		c.Add(compare.Step{Language: "en", Resource: resource,
			Responses: []compare.Response{responseOf(resource+".list", "/"+resource, legacy.list(resource), candidate.list(resource))}})
	}
	for _, resource := range []string{"events", "venues", "tags"} {
		for _, id := range legacy.listed(resource) {
			step := compare.Step{Language: "en", Resource: resource, ID: fmt.Sprint(id)}
			want := legacy.show(resource, id, true)
			got := candidate.show(resource, id, true)
			if candidate.unlisted[fmt.Sprint(resource, id)] {
				step.Responses = []compare.Response{{Endpoint: resource + ".read", Call: fmt.Sprintf("/%s/%d", resource, id),
					Result: compare.Result{Differences: []compare.Difference{status(t, rules, resource+".read")}}}}
				c.Add(step)
				continue
			}
			step.Responses = append(step.Responses, responseOf(resource+".read", fmt.Sprintf("/%s/%d", resource, id), want, got))
			if resource != "tags" {
				call := fmt.Sprintf("/%s/by-slug/%v", resource, legacy.items[resource][id]["slug"])
				if got["slug"] != want["slug"] {
					step.Responses = append(step.Responses,
						compare.Response{Endpoint: resource + ".read_by_slug", Call: call,
							Result: compare.Result{Differences: []compare.Difference{status(t, rules, resource+".read_by_slug")}}})
				} else {
					step.Responses = append(step.Responses, responseOf(resource+".read_by_slug", call, want, got))
				}
			}
			c.Add(step)
		}
	}
	return c
}

// status is the difference between an item and an error.
func status(t *testing.T, rules *compare.Comparer, endpoint string) compare.Difference {
	t.Helper()
	return rules.Documents(endpoint, document(t, map[string]any{}), compare.Document{Status: 404, Body: []byte(`{}`)})[0]
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
	for seed := range uint64(120) {
		random := rand.New(rand.NewPCG(seed, 1))
		legacy := build(5)
		candidate := build(5)
		want := candidate.plant(random, int(seed%30))
		r := collect(t, legacy, candidate).Snapshot()
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.Resource, f.ID, f.Member))
			if views := len(f.Calls); views == 0 || views > f.Responses {
				t.Errorf("seed %d: %d of %d responses", seed, views, f.Responses)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-planted +found):\n%s", seed, diff)
		}
		inGroups := 0
		for _, k := range r.Groups {
			inGroups += k.Findings
		}
		if inGroups != len(want) || r.Total != len(want) {
			t.Errorf("seed %d: %d in groups, %d in total, want %d", seed, inGroups, r.Total, len(want))
		}
	}
}

// TestOrderOfResponsesMeansNothing: the findings are the same however their responses come.
func TestOrderOfResponsesMeansNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	kinds := []compare.Kind{compare.Value, compare.Missing}
	var steps []compare.Step
	differing := map[string]bool{}
	for range 400 {
		d := compare.Difference{Path: "title", Kind: kinds[random.IntN(2)]}
		d.Cause = compare.Cause{Resource: "events", ID: fmt.Sprint(random.IntN(20)), Member: "title"}
		d.Got = fmt.Sprint(random.IntN(2))
		differing[fmt.Sprint(d.Kind, d.Cause, d.Got)] = true
		steps = append(steps, compare.Step{Language: "en", Resource: "events", Responses: []compare.Response{{
			Endpoint: []string{"events.list", "events.read"}[random.IntN(2)], Call: fmt.Sprint("/",
				random.IntN(30)), Result: compare.Result{Differences: []compare.Difference{d}},
		}}})
	}
	for range 5 {
		c := new(compare.Findings)
		for _, s := range steps {
			c.Add(s)
		}
		if r := c.Snapshot(); len(r.Findings) != len(differing) || r.Total != len(differing) {
			t.Errorf("%d findings, want %d", len(r.Findings), len(differing))
		}
		random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	}
}

// TestMembersBeyondTheMaximum: members beyond the maximum are one group, and their findings are counted.
func TestMembersBeyondTheMaximum(t *testing.T) {
	const maxGroups = 500
	c := new(compare.Findings)
	for i := range maxGroups + 50 {
		d := compare.Difference{Path: fmt.Sprint("m", i), Kind: compare.Value,
			Cause: compare.Cause{Resource: "events", ID: "1", Member: fmt.Sprint("m", i)}}
		c.Add(compare.Step{Language: "en", Resource: "events", ID: "1",
			Responses: []compare.Response{{Endpoint: "events.read", Call: "/events/1",
				Result: compare.Result{Differences: []compare.Difference{d}}}}})
	}
	if r := c.Snapshot(); len(r.Groups) != maxGroups+1 || r.Groups[0].Member != "(others)" || r.Groups[0].Findings != 50 ||
		r.Total != maxGroups+50 {
		t.Errorf("%d groups, first %+v, %d findings", len(r.Groups), r.Groups[0], r.Total)
	}
}
