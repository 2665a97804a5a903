package compare_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping/compare"
)

// TestPlantedIsFound compares all lists of two sites at different hosts, and finds exactly the
// differences that were planted in one of them.
func TestPlantedIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	clock := func() time.Time { return time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) }
	first := sim.New(sim.Options{Clock: clock, Site: "http://one.test", Events: 400})
	second := sim.New(sim.Options{Clock: clock, Site: "https://two.test:8443", Events: 400, Planted: sim.SomePlants(60, 7)})
	rules := compare.Default()
	rules.Hosts = []string{"one.test", "two.test:8443"}
	c := comparer(t, rules)
	for _, swapped := range []bool{false, true} {
		a, b := first, second
		if swapped {
			a, b = b, a
		}
		findsPlants(t, c, a, b, swapped)
	}
}

// findsPlants compares two sites. The first has the plants if swapped is true, else the second.
func findsPlants(t *testing.T, c *compare.Comparer, first, second *sim.Site, swapped bool) {
	t.Helper()
	for _, language := range []string{"en", "es", "de", "fr"} {
		for _, resource := range []string{"events", "venues", "organizers", "categories", "tags"} {
			a := fullList(t, first, language, resource)
			b := fullList(t, second, language, resource)
			var want []difference
			for _, p := range slices.Concat(first.Plants(), second.Plants()) {
				if p.Language == language && p.Resource == resource {
					want = append(want, expected(p, swapped))
				}
			}
			if a.Total != b.Total {
				want = append(want, difference{Path: "total", Kind: compare.Value})
			}
			var got []difference
			for _, d := range c.Documents(resource+".list", ok(encode(t, a.body(resource))), ok(encode(t, b.body(resource)))) {
				got = append(got, difference{Path: d.Path, Kind: d.Kind, Item: d.Item})
			}
			order := func(a, b difference) int {
				byPath := cmp.Compare(a.Path, b.Path)
				byKind := cmp.Compare(a.Kind, b.Kind)
				byItem := cmp.Compare(a.Item, b.Item)
				return cmp.Or(byPath, byKind, byItem)
			}
			slices.SortFunc(want, order)
			slices.SortFunc(got, order)
			want = slices.Compact(want) // a wrong total beside a missing item is one difference
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s: %s", language, resource, diff)
			}
		}
	}
}

// expected returns the difference that reports a plant.
func expected(p sim.Plant, swapped bool) difference {
	missing := compare.Missing
	if swapped {
		missing = compare.Extra
	}
	items := p.Resource + "[]"
	field := difference{Path: items + "." + p.Field, Item: fmt.Sprint(p.ID)}
	switch p.Kind {
	case sim.PlantMissing:
		return difference{Path: items, Kind: missing, Item: fmt.Sprint(p.ID)}
	case sim.PlantOrder:
		return difference{Path: p.Resource, Kind: compare.Order}
	case sim.PlantTotal:
		return difference{Path: "total", Kind: compare.Value}
	case sim.PlantNoField:
		field.Kind = missing
	case sim.PlantType:
		field.Kind = compare.Type
	case sim.PlantValue:
		field.Kind = compare.Value
	}
	return field
}

// list returns all pages of a list.
type list struct {
	Items      []json.RawMessage
	Total      int
	TotalPages int `json:"total_pages"`
}

func (l list) body(resource string) any {
	return map[string]any{resource: l.Items, "total": l.Total}
}

func fullList(t *testing.T, site http.Handler, language, resource string) list {
	t.Helper()
	var union list
	prefix := strings.TrimSuffix("/"+strings.TrimPrefix(language, "en"), "/")
	for page := 1; page == 1 || page <= union.TotalPages; page++ {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, httptest.NewRequest("GET",
			fmt.Sprintf("%s/wp-json/tribe/events/v1/%s?per_page=50&page=%d", prefix, resource, page), nil))
		var byName map[string]json.RawMessage
		items := union.Items
		union.Items = nil
		err := json.Unmarshal(rec.Body.Bytes(), &union)
		if err == nil {
			err = json.Unmarshal(rec.Body.Bytes(), &byName)
		}
		if err == nil {
			err = json.Unmarshal(byName[resource], &union.Items)
		}
		if err != nil || rec.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %v", language, resource, rec.Code, err)
		}
		union.Items = append(items, union.Items...)
	}
	return union
}
