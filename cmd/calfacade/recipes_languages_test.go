package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// languageRecipe is a configuration in docs/recipes/languages.md that has a site to run
// before. The mark before it names the site.
var languageRecipe = regexp.MustCompile("(?s)<!-- ([a-z-]+) -->\n```yaml\n(.*?)```")

// TestLanguageRecipes runs each recipe before a stand-in that answers as the plugin does:
// "calfacade check", which compares lists of each root, finds no problem and recommends what
// the recipe has.
func TestLanguageRecipes(t *testing.T) {
	t.Parallel()
	modes := map[string]sim.LanguageMode{
		"one": sim.Apart, "apart": sim.Apart, "directories": sim.Fallback, "by-parameter": sim.ByParameter, "one-id": sim.OneID,
	}
	for _, m := range languageRecipe.FindAllStringSubmatch(readFile(t, "../../docs/recipes/languages.md"), -1) {
		mode, ok := modes[m[1]]
		if !ok {
			t.Errorf("%s: no such site", m[1])
		}
		delete(modes, m[1])
		t.Run(m[1], func(t *testing.T) {
			t.Parallel()
			site := serveTest(t, sim.New(sim.Options{Languages: mode}))
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(m[2], "https://www.example.org", site)), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out, stderr strings.Builder
			if status := run(t.Context(), []string{"check", "--config", file}, nil, nil, &out, &stderr); status != exitOK {
				t.Errorf("check: %d\n%s%s", status, stderr.String(), out.String())
			}
			if len(cfg.Languages) == 1 {
				return
			}
			want := []string{fmt.Sprintf("upstream: {language_param: %q}", cfg.Upstream.LanguageParam)}
			for _, l := range cfg.Languages {
				want = append(want, fmt.Sprintf("{code: %s, root: %q, upstream: %q, select: %s}", l.Code, l.Root, l.Upstream, l.Select))
			}
			for _, line := range want {
				if !strings.Contains(out.String(), line) {
					t.Errorf("check does not recommend %s:\n%s", line, out.String())
				}
			}
		})
	}
	for name := range modes {
		t.Errorf("no recipe for %s", name)
	}
}
