package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping/tec"
)

// TestDiffOfTheSuccessor: a site and its own successor are the same but for all known kinds that
// reads without filters meet.
func TestDiffOfTheSuccessor(t *testing.T) {
	t.Parallel()
	site := sim.New(sim.Options{Clock: noon})
	d := twoSitesOf(t, tec.Dialect, site, site)
	d.Languages = []string{"es"}
	r, err := d.Run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	sum := r.Sum()
	if r.Verdict != survey.Same || sum.Failed+sum.Findings > 0 {
		t.Errorf("%s, %+v: %v", r.Verdict, sum, causesOf(r))
	}
	for _, k := range tec.Differences() {
		if (k.Statuses == nil || k.Endpoints != nil) && r.Known[k.Name] == 0 {
			t.Errorf("%s is the same everywhere", k.Name)
		}
	}
	var printed strings.Builder
	if err := r.Print(&printed); err != nil || !strings.HasSuffix(printed.String(),
		"\nWhat was compared is the same, except for 14 known kinds of differences.\n") {
		t.Errorf("%v\n%s", err, printed.String())
	}
}

// TestDiffOfTheSuccessorFindsWhatIsPlanted: known differences hide no others. Planted differences
// show in what the legacy answers.
func TestDiffOfTheSuccessorFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	plants := slices.DeleteFunc(sim.SomePlants(120, 3), func(p sim.Plant) bool { return p.Kind == sim.PlantTotal })
	for i := range plants {
		plants[i].Language = "es"
	}
	plants = slices.DeleteFunc(sim.New(sim.Options{Clock: noon, Planted: plants}).Plants(), func(p sim.Plant) bool {
		return p.Field == "cost" // two differences: cost_details are made of it
	})
	site := sim.New(sim.Options{Clock: noon, Planted: plants})
	d := twoSitesOf(t, tec.Dialect, site, sim.New(sim.Options{Clock: noon}))
	d.Languages = []string{"es"}
	r, err := d.Run(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	swapped := site.Plants()
	for i := range swapped {
		if swapped[i].Kind == sim.PlantMissing {
			swapped[i].Kind = extra
		}
	}
	if diff := cmp.Diff(causesOfPlants(swapped), causesOf(r)); diff != "" {
		t.Errorf("findings (-planted +found):\n%s", diff)
	}
}
