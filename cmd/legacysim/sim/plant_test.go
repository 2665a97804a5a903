package sim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
)

func planted(t *testing.T, plants ...Plant) *client {
	t.Helper()
	return &client{t: t, site: New(Options{Clock: func() time.Time { return testNow }, Site: "http://legacy.test", Planted: plants})}
}

// TestPlantsShowAlone compares all items of a site with the items of one without
// plants: what differs are the plants, and nothing else.
func TestPlantsShowAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	first := newClient(t)
	for seed := range uint64(5) {
		second := planted(t, SomePlants(40, seed)...)
		plants := second.site.Plants()
		if len(plants) != 40 {
			t.Errorf("seed %d: %d plants, want 40", seed, len(plants))
		}
		var want []string
		for _, p := range plants {
			want = append(want, lineOf(p))
		}
		var got []string
		for _, lang := range languages() {
			for _, resource := range mapping.Resources() {
				got = append(got, unlike(t, first, second, lang, resource)...)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: planted and found:\n%s", seed, diff)
		}
	}
}

func lineOf(p Plant) string { return fmt.Sprintln(p.Kind, p.Language, p.Resource, p.ID, p.Field) }

// unlike returns how two sites differ in a resource, as lineOf writes it.
func unlike(t *testing.T, a, b *client, lang *language, resource string) []string {
	t.Helper()
	var out []string
	add := func(kind PlantKind, id int, field string) {
		out = append(out, lineOf(Plant{Kind: kind, Language: lang.code, Resource: resource, ID: id, Field: field}))
	}
	base := lang.prefix + api + "/" + resource
	x := crawl(a, base, resource)
	y := crawl(b, base, resource)
	if y.total != len(y.items) {
		add(PlantTotal, 0, "")
	}
	if y.backwards(x) {
		add(PlantOrder, 0, "")
	}
	for id, item := range x.items {
		other := y.items[id]
		if other == nil {
			add(PlantMissing, id, "")
			if code := b.do("GET", base+"/"+itoa(id), "", nil).Code; code == 200 {
				t.Errorf("%s/%d can be read", base, id)
			}
		}
		for name, value := range item {
			kind := differs(value, other, name)
			if kind == "" || other == nil {
				continue
			}
			add(kind, id, name)
			if single := b.get(base + "/" + itoa(id)); !reflect.DeepEqual(single[name], other[name]) {
				t.Errorf("%s/%d: %s is %v by itself and %v in the list", base, id, name, single[name], other[name])
			}
		}
	}
	for id := range y.items {
		if x.items[id] == nil {
			t.Errorf("%s/%d is there without being planted", base, id)
		}
	}
	return out
}

func differs(value any, other record, name string) PlantKind {
	got, ok := other[name]
	switch {
	case !ok:
		return PlantNoField
	case reflect.TypeOf(value) != reflect.TypeOf(got):
		return PlantType
	case !reflect.DeepEqual(value, got):
		return PlantValue
	}
	return ""
}

// crawled is a list, read whole.
type crawled struct {
	items map[int]record
	place map[int]int // in all of the list
	pages [][]int     // ids
	total int
}

func crawl(c *client, base, resource string) crawled {
	c.t.Helper()
	out := crawled{items: map[int]record{}, place: map[int]int{}}
	for page, pages := 1, 1; page <= pages; page++ {
		body := c.get(fmt.Sprintf("%s?per_page=50&hide_empty=false&page=%d", base, page))
		out.total = int(body["total"].(float64))
		pages = int(body["total_pages"].(float64))
		var ids []int
		for _, item := range body[resource].([]any) {
			r := record(item.(map[string]any))
			id := atoi(r.id())
			out.items[id], out.place[id] = r, len(out.place)
			ids = append(ids, id)
		}
		out.pages = append(out.pages, ids)
	}
	return out
}

// backwards reports whether the pages run against the order of first.
func (c crawled) backwards(first crawled) bool {
	for _, ids := range c.pages {
		last := -1
		for _, id := range ids {
			at, ok := first.place[id]
			if ok && at < last {
				return true
			}
			if ok {
				last = at
			}
		}
	}
	return false
}

// TestPlantsAreNamed plants each kind at a named place.
func TestPlantsAreNamed(t *testing.T) {
	event := Plant{Resource: "events", Language: "es",
		ID: newClient(t).site.blogs["es"].selectPosts(eventKind, func(p *post) bool { return p.status == "publish" })[0].id}
	path := "/es" + api + "/events/" + itoa(event.ID)
	with := func(kind PlantKind, field string) *client {
		p := event
		p.Kind, p.Field = kind, field
		c := planted(t, p)
		if got := c.site.Plants(); !slices.Equal(got, []Plant{p}) {
			t.Errorf("Plants() = %v, want %v", got, p)
		}
		return c
	}
	if got := with(PlantMissing, "").fails(404, "GET", path, ""); got != "rest-event-not-found" {
		t.Errorf("missing: %s", got)
	}
	if _, ok := with(PlantNoField, "slug").get(path)["slug"]; ok {
		t.Error("the field is there")
	}
	if got := with(PlantType, "author").get(path)["author"]; got != nil {
		t.Errorf("author = %#v", got)
	}
	if got, want := with(PlantValue, "title").get(path)["title"], newClient(t).get(path)["title"].(string)+" (planted)"; got != want {
		t.Errorf("title = %q, want %q", got, want)
	}
	tag := newClient(t).site.blogs["en"].findTerm(tagTaxonomy, "step-free")
	if got := planted(t, Plant{Kind: PlantMissing, Resource: "tags", Language: "en", ID: tag.id}).fails(400, "GET",
		api+"/events?tags="+tag.slug, ""); got != "rest_invalid_param" {
		t.Errorf("events of a missing tag: %s", got)
	}
}

func TestPlantsWithoutRoom(t *testing.T) {
	c := planted(t,
		Plant{Kind: PlantMissing, Resource: "events", Language: "en", ID: 999999},
		Plant{Kind: PlantTotal, Resource: "tags", Language: "en"},
		Plant{Kind: PlantTotal, Resource: "tags", Language: "en"},
	)
	if diff := cmp.Diff([]Plant{{Kind: PlantTotal, Resource: "tags", Language: "en"}}, c.site.Plants()); diff != "" {
		t.Error(diff)
	}
	rec := c.do("GET", api+"/tags", "", nil)
	body := record{}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	header := headerOf(rec, "X-TEC-Total")
	if body["total"].(float64) < wrongTotal ||
		!slices.Equal(header, []string{itoa(int(body["total"].(float64)))}) {
		t.Errorf("total = %v, header %v", body["total"], header)
	}
}
