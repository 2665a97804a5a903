package staging_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
)

// TestRulesGiveTheMatrix: the rules of a matrix give exactly this matrix, whatever it is.
func TestRulesGiveTheMatrix(t *testing.T) {
	reads := []staging.Setting{legacy, {State: staging.Shadow}, canary(10), canary(50), whole, fallback,
		{State: staging.Canary, Percent: 20, By: staging.Requests}}
	writes := []staging.Setting{legacy, canary(10), canary(50), whole}
	all := staging.Cells([]string{"events", "venues", "organizers"}, []string{"en", "es", "de", "fr"})
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		settings := map[staging.Cell]staging.Setting{}
		variety := 1 + random.IntN(len(reads))
		for _, c := range all {
			settings[c] = reads[random.IntN(variety)]
			if c.Op == staging.Write {
				settings[c] = writes[random.IntN(min(variety, len(writes)))]
			}
		}
		rules := staging.Rules(all, settings)
		if diff := cmp.Diff(settings, staging.Settings(all, rules)); diff != "" {
			t.Fatalf("%v: -want +got:\n%s", rules, diff)
		}
	}
}

// TestRulesAreFew: languages share a rule.
func TestRulesAreFew(t *testing.T) {
	all := staging.Cells([]string{"events", "venues"}, []string{"en", "es"})
	in := func(resource string, languages []string, to staging.Setting) staging.Rule {
		return staging.Rule{Selection: staging.Selection{Resources: []string{resource}, Languages: languages}, Setting: to}
	}
	en, es, both := []string{"en"}, []string{"es"}, []string{"en", "es"}
	for name, want := range map[string][]staging.Rule{
		"all legacy":       nil,
		"all of one":       {in("events", both, fallback), in("venues", both, fallback)},
		"one resource":     {in("events", both, canary(10))},
		"one language":     {in("events", es, fallback), in("venues", es, fallback)},
		"all but one part": {in("events", both, whole), in("venues", en, whole), in("venues", es, canary(10))},
	} {
		got := staging.Rules(all, staging.Settings(all, want))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestRulesYAML(t *testing.T) {
	all := staging.Cells([]string{"events", "venues"}, []string{"en", "es"})
	settings := staging.Settings(all, []staging.Rule{rule(canary(10), "events", "es"),
		{Selection: staging.Selection{Ops: []staging.Op{staging.Read}, Resources: []string{"venues"}}, Setting: whole}})
	want := `  rules:
    - {"resources":["events"],"languages":["es"],"state":"canary","percent":10}
    - {"methods":["read"],"resources":["venues"],"languages":["en","es"],"state":"new"}
  force: true # venues in en: reads are new, writes are legacy; venues in es: reads are new, writes are legacy
`
	if diff := cmp.Diff(want, staging.RulesYAML(all, settings)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := staging.RulesYAML(all, staging.Settings(all, nil)); got != "  rules: []\n" {
		t.Errorf("of the legacy alone: %q", got)
	}
}
