package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
)

// twoSites is a differ between two sites, as the command would make it.
func twoSites(t *testing.T, legacy, candidate http.Handler) *survey.Comparison {
	t.Helper()
	return twoSitesOf(t, tribe.Dialect, legacy, candidate)
}

// twoSitesOf is the same with a candidate of another dialect.
func twoSitesOf(t *testing.T, dialect *mapping.Dialect, legacy, candidate http.Handler) *survey.Comparison {
	t.Helper()
	c := processtest.StagedConfig(t, dialect, processtest.Serve(t, legacy), processtest.Serve(t, candidate))
	facade := proxy.New(service.FacadeOptions(c, zap.NewNop()))
	t.Cleanup(facade.Close)
	f := diffFlags{candidate: "new"}
	d, err := f.differ(c, facade)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDiffFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		languages []string
		plants    []sim.Plant
	}{
		{"nothing", i18n.Codes, nil},
		{"some of each kind", i18n.Codes, sim.SomePlants(42, 1)},
		{"a page of items that are missing", []string{"en"},
			slices.Repeat([]sim.Plant{{Kind: sim.PlantMissing, Resource: "events", Language: "en"}}, 60)},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.plants {
				test.plants[i].Seed += uint64(i)
			}
			candidate := sim.New(sim.Options{Clock: processtest.Noon, Planted: test.plants})
			d := twoSites(t, sim.New(sim.Options{Clock: processtest.Noon}), candidate)
			d.Languages = test.languages
			r, err := d.Run(t.Context(), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(processtest.CausesOfPlants(candidate.Plants()), processtest.CausesOf(r)); diff != "" {
				t.Errorf("findings (-planted +found):\n%s", diff)
			}
			if got := len(candidate.Plants()); got != len(test.plants) {
				t.Errorf("%d were planted, want %d", got, len(test.plants))
			}
			if sum := r.Sum(); sum.Failed != 0 || sum.Noise != 0 || sum.Compared < sum.Items {
				t.Errorf("failed, noise or not compared: %+v", sum)
			}
		})
	}
}

// TestDiffKnowsWhatWasRequested: a response comes with the URL that was requested from the site.
func TestDiffKnowsWhatWasRequested(t *testing.T) {
	t.Parallel()
	site := sim.New(sim.Options{Clock: processtest.Noon})
	d := twoSitesOf(t, mapping.Neutral, site, site.Neutral())
	call := mapping.ItemReads("venues", "8", "")[0]
	for path, reader := range map[string]survey.Reader{"/tribe/events/v1/venues/8": d.Legacy,
		"/calendar/events/v1/venues/8?i18n_language=en": d.Candidate} {
		got, err := reader(t.Context(), call, "en")
		if err != nil || !strings.HasPrefix(got.URL, "http://127.0.0.1:") || !strings.HasSuffix(got.URL, "/wp-json"+path) {
			t.Errorf("got %s, %v; want %s", got.URL, err, path)
		}
	}
}
