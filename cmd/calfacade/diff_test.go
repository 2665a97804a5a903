package main

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
)

// noon is the clock of sites that are to be alike: near midnight their days are not
// the same, and it may come between the making of two.
func noon() time.Time { return time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) }

// stagedConfig is a configuration with a candidate, "new", beside the legacy. Both
// speak the dialect.
func stagedConfig(t *testing.T, dialect *mapping.Dialect, legacy, candidate string) config.Config {
	t.Helper()
	c := config.Demo("http://facade.example", legacy)
	backend := config.Backend{Name: "new", Dialect: dialect.Namespace, LanguageParam: dialect.LanguageParam, Upstreams: map[string]string{}}
	for _, l := range config.Demo("", candidate).Languages {
		backend.Upstreams[l.Code] = l.Upstream
	}
	c.Backends = []config.Backend{backend}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// twoSites is a differ between two sites, as the command would make it.
func twoSites(t *testing.T, legacy, candidate http.Handler) *survey.Comparison {
	t.Helper()
	return twoSitesOf(t, tribe.Dialect, legacy, candidate)
}

// twoSitesOf is the same with a candidate of another dialect.
func twoSitesOf(t *testing.T, dialect *mapping.Dialect, legacy, candidate http.Handler) *survey.Comparison {
	t.Helper()
	c := stagedConfig(t, dialect, processtest.Serve(t, legacy), processtest.Serve(t, candidate))
	facade := proxy.New(service.FacadeOptions(c, zap.NewNop()))
	t.Cleanup(facade.Close)
	f := diffFlags{candidate: "new"}
	d, err := f.differ(c, facade)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// causesOfPlants are the findings of planting: one for each, with the number of responses that show
// it: lists, and items by id and slug.
func causesOfPlants(plants []sim.Plant) map[string]int {
	causes := map[string]int{}
	for _, p := range plants {
		id := strconv.Itoa(p.ID)
		member := p.Field
		responses := 1
		switch p.Kind {
		case sim.PlantOrder:
			id = ""
			member = p.Resource
		case sim.PlantTotal:
			id = ""
			member = "total"
		default:
			responses += len(mapping.ItemReads(p.Resource, "1", "a"))
		}
		causes[strings.Join([]string{p.Language, p.Resource, id, member}, " ")] += responses
	}
	return causes
}

// causesOf returns the number of responses that show each finding.
func causesOf(r survey.DiffReport) map[string]int {
	causes := map[string]int{}
	for _, f := range r.Findings {
		causes[strings.Join([]string{f.Language, f.Resource, f.ID, f.Member}, " ")] += f.Responses
	}
	return causes
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
			candidate := sim.New(sim.Options{Clock: noon, Planted: test.plants})
			d := twoSites(t, sim.New(sim.Options{Clock: noon}), candidate)
			d.Languages = test.languages
			r, err := d.Run(t.Context(), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(causesOfPlants(candidate.Plants()), causesOf(r)); diff != "" {
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
	site := sim.New(sim.Options{Clock: noon})
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
