package sim

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func planted(t *testing.T, plants ...Plant) *client {
	t.Helper()
	return &client{t: t, site: New(Options{Clock: func() time.Time { return testNow }, Site: "http://legacy.test", Planted: plants})}
}

// TestPlantsAreNamed plants each kind at a named place.
func TestPlantsAreNamed(t *testing.T) {
	event := Plant{Resource: "events", Language: "es",
		ID: newClient(t).site.blogs["es"].selectPosts(eventKind, func(p *post) bool { return p.status == "publish" })[0].id}
	path := "/es" + api + "/events/" + itoa(event.ID)
	plantedClient := func(kind PlantKind, field string) *client {
		p := event
		p.Kind, p.Field = kind, field
		c := planted(t, p)
		if got := c.site.Plants(); !slices.Equal(got, []Plant{p}) {
			t.Errorf("Plants() = %v, want %v", got, p)
		}
		return c
	}
	if got := plantedClient(PlantMissing, "").fails(404, "GET", path, ""); got != "rest-event-not-found" {
		t.Errorf("missing: %s", got)
	}
	if _, ok := plantedClient(PlantNoField, "slug").get(path)["slug"]; ok {
		t.Error("the field is there")
	}
	if got := plantedClient(PlantType, "author").get(path)["author"]; got != nil {
		t.Errorf("author = %#v", got)
	}
	if got, want := plantedClient(PlantValue, "title").get(path)["title"], newClient(t).get(path)["title"].(string)+" (planted)"; got != want {
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
