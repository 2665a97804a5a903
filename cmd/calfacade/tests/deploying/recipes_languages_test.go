package deploying_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/proxy/probe"
)

// languageRecipe is a configuration in docs/recipes/languages.md that has a site to run
// before. The mark before it names the sites.
var languageRecipe = regexp.MustCompile("(?s)<!-- ([a-z -]+) -->\n```yaml\n(.*?)```")

// TestLanguageRecipes runs each recipe before a stand-in that answers as the plugin does:
// "calfacade check", which compares lists of each root, finds no problem, and that the
// settings of the recipe select the languages.
func TestLanguageRecipes(t *testing.T) {
	t.Parallel()
	modes := map[string]sim.LanguageMode{
		"one": sim.Apart, "apart": sim.Apart, "directories": sim.Fallback, "by-parameter": sim.ByParameter, "one-id": sim.OneID,
	}
	for _, m := range languageRecipe.FindAllStringSubmatch(processtest.ReadFile(t, processtest.Repository+"/docs/recipes/languages.md"), -1) {
		for _, name := range strings.Fields(m[1]) {
			mode, ok := modes[name]
			if !ok {
				t.Errorf("%s: no such site", name)
			}
			delete(modes, name)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				site := processtest.Serve(t, sim.New(sim.Options{Languages: mode}))
				file := filepath.Join(t.TempDir(), "config.yaml")
				if err := os.WriteFile(file, []byte(strings.ReplaceAll(m[2], "https://www.example.org", site)), 0o600); err != nil {
					t.Fatal(err)
				}
				cfg, err := config.Load(file, nil)
				if err != nil {
					t.Fatal(err)
				}
				var out, stderr strings.Builder
				if status := processtest.RunCommand(t.Context(), t, []string{"check", "--config", file}, nil, nil, &out, &stderr); status != processtest.StatusOK {
					t.Errorf("check: %d\n%s%s", status, stderr.String(), out.String())
				}
				if strings.Contains(out.String(), "settings") {
					t.Errorf("check recommends other settings:\n%s", out.String())
				}
				out.Reset()
				processtest.RunCommand(t.Context(), t, []string{"check", "--config", file, "--json"}, nil, nil, &out, &stderr)
				var report struct{ Roots []probe.Finding }
				if err := json.Unmarshal([]byte(out.String()), &report); err != nil || len(report.Roots) != len(cfg.Languages) {
					t.Fatal(err, out.String())
				}
				for i, l := range cfg.Languages {
					want := &probe.Selection{Root: l.Root, Upstream: l.Upstream, Select: l.Select,
						LanguageParam: cfg.Upstream.LanguageParam,
						Configured:    true}
					if len(cfg.Languages) == 1 {
						want = nil
					}
					if diff := cmp.Diff(want, report.Roots[i].Works); diff != "" {
						t.Errorf("%s: what works (-recipe +check):\n%s", l.Code, diff)
					}
				}
			})
		}
	}
	for name := range modes {
		t.Errorf("no recipe for %s", name)
	}
}
