//go:build !race

package migration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestRehearsal moves from one site to another by the commands of docs/migration.md,
// in their order and with its configuration, in all languages, from the facade in
// front of the legacy to the legacy switched off, and once back. From the third step on
// there are two instances on one Redis. Clients of the neutral names and of the legacy's
// read all the time, and no response is wrong.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	r := newRehearsal(t, binary)
	m := &movingFleet{rehearsal: r}
	steps := processtest.StepsOf(t, processtest.ReadFile(t, processtest.MigrationFile))
	for i, step := range []struct {
		do, then func(processtest.MigrationStep)
	}{
		{r.front, m.visit},
		{r.record, m.grow},
		{r.name, m.killSecond},
		{r.compare, m.write},
		{r.shadow, m.killRedis},
		{r.canary, m.killSecondAndWrite},
		{r.everybody, m.back},
		{r.switchOff, m.write},
	} {
		t.Logf("step %d", i+1)
		step.do(steps[i])
		step.then(steps[i])
		m.check()
	}
	m.visitors.end()
}

// rehearsal is a team that moves.
type rehearsal struct {
	*instance
	second    *instance // on the same Redis; nil until there is one
	config    map[string]any
	legacy    *httptest.Server
	candidate *candidate
}

// candidate is the new site: the site that it was at first, with differences planted in
// it, or when it is mended, and whether it fails.
type candidate struct {
	url   string
	now   atomic.Pointer[http.Handler]
	fails atomic.Bool
	calls atomic.Int64
}

func (c *candidate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.calls.Add(1)
	if c.fails.Load() {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	(*c.now.Load()).ServeHTTP(w, r)
}

func (c *candidate) becomes(s *sim.Site) {
	h := s.Neutral()
	c.now.Store(&h)
}

// seeded is a site of more than a thousand documents.
func seeded(planted []sim.Plant) *sim.Site {
	return sim.New(sim.Options{Clock: processtest.Noon, Events: 200, Planted: planted})
}

func newRehearsal(t *testing.T, binary string) *rehearsal {
	r := &rehearsal{legacy: httptest.NewServer(seeded(nil)), candidate: new(candidate)}
	t.Cleanup(r.legacy.Close)
	r.candidate.url = processtest.Serve(t, r.candidate)
	r.instance = newInstance(t, binary, t.TempDir(), r.legacy.URL, r.candidate.url)
	r.config = map[string]any{
		"public_url":      "https://api.example.org",
		"trusted_proxies": []string{"127.0.0.0/8"},
		"log":             map[string]any{"requests": "errors"},
		"pages_url":       processtest.Pages,
		"cache":           map[string]any{"stale_if_error": "0s", "stale_while_revalidate": "0s"},
		"legacy_clients":  map[string]any{"enabled": true},
	}
	var languages []any
	for _, l := range config.Demo("", "https://legacy.example.org").Languages {
		languages = append(languages, map[string]any{"code": l.Code, "root": l.Root, "upstream": l.Upstream})
	}
	r.config["languages"] = languages
	r.save()
	return r
}

// add lays the block of the document over the configuration, for all languages and with
// the sites' real addresses.
func (r *rehearsal) add(text string) {
	r.Helper()
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		r.Fatal(err)
	}
	for _, b := range list(fields["backends"]) {
		upstreams := b["upstreams"].(map[string]any)
		for _, code := range i18n.Codes[1:] {
			upstreams[code] = strings.ReplaceAll(upstreams["es"].(string), "/es/", "/"+code+"/")
		}
	}
	if languages := list(fields["languages"]); languages != nil {
		translations := []any{languages[0]}
		for _, code := range i18n.Codes[1:] {
			l := map[string]any{"code": code}
			for _, key := range []string{"root", "upstream"} {
				l[key] = strings.ReplaceAll(languages[1][key].(string), "/es/", "/"+code+"/")
			}
			translations = append(translations, l)
		}
		fields["languages"] = translations
	}
	for key, value := range fields {
		r.config[key] = value
	}
	r.save()
}

func list(v any) []map[string]any {
	var items []map[string]any
	elements, _ := v.([]any) // nil has no elements
	for _, e := range elements {
		items = append(items, e.(map[string]any))
	}
	return items
}

// save writes the configuration of each instance.
func (r *rehearsal) save() {
	r.Helper()
	r.saveFor(r.instance, "config.yaml")
	if r.second != nil {
		r.saveFor(r.second, "second.yaml")
	}
}

func (r *rehearsal) saveFor(i *instance, file string) {
	r.Helper()
	r.config["listen"] = i.Public
	r.config["admin_listen"] = i.Admin
	text, err := yaml.Marshal(r.config)
	if err != nil {
		r.Fatal(err)
	}
	cfg := string(text)
	for name, site := range map[string]string{"legacy.example.org": r.legacy.URL, "new.example.org": r.candidate.url} {
		u, err := url.Parse(site)
		if err != nil {
			r.Fatal(err)
		}
		cfg = strings.NewReplacer("https://"+name, site, name, u.Host).Replace(cfg)
	}
	if err := os.WriteFile(filepath.Join(r.dir, file), []byte(cfg), 0o600); err != nil {
		r.Fatal(err)
	}
}

// reload reloads the configuration of each instance.
func (r *rehearsal) reload() {
	r.Helper()
	r.instance.reload()
	if r.second != nil {
		r.second.reload()
	}
}

func (r *rehearsal) front(s processtest.MigrationStep) {
	r.run(processtest.StatusOK, s.Commands[0])
	r.serve(s.Commands[1])
	r.sameAsLegacy()
}

// sameAsLegacy reads all public items, in every language.
func (r *rehearsal) sameAsLegacy() {
	r.Helper()
	for _, l := range config.Demo("", "").Languages {
		if status, body := r.get("127.0.0.1", l.Root+"/"+mapping.Namespace+"/events"); status != http.StatusOK ||
			!strings.Contains(body, `"total"`) {
			r.Errorf("%s: got %d %s", l.Code, status, body)
		}
	}
}

func (r *rehearsal) record(s processtest.MigrationStep) {
	r.stop()
	r.serve(s.Commands[0])
	r.run(processtest.StatusOK, s.Commands[1], processtest.Fast...)
	r.stop()
	r.serve("calfacade serve --config config.yaml --replay recording")
	r.sameAsLegacy()
	r.stop()
	r.serve(s.Commands[2])
}

func (r *rehearsal) name(s processtest.MigrationStep) {
	r.candidate.becomes(seeded(nil))
	r.add(s.Config)
	r.reload()
	if out := r.run(processtest.StatusOK, s.Commands[0]); strings.Count(out, "new:") != len(i18n.Codes) {
		r.Errorf("check does not report the new site's roots:\n%s", out)
	}
}

// compare finds the planted differences, and nothing else; and nothing once they are mended.
func (r *rehearsal) compare(s processtest.MigrationStep) {
	flawed := seeded(sim.SomePlants(60, 1))
	r.candidate.becomes(flawed)
	r.run(processtest.StatusFail, s.Commands[0], processtest.Fast...)
	result := r.report()
	want := processtest.CausesOfPlants(flawed.Plants())
	if diff := cmp.Diff(want, processtest.CausesOf(result)); diff != "" {
		r.Errorf("findings (-planted +found):\n%s", diff)
	}
	planted := map[sim.PlantKind]bool{}
	for _, p := range flawed.Plants() {
		planted[p.Kind] = true
	}
	if len(planted) < 6 {
		r.Errorf("only %d kinds of differences are planted", len(planted))
	}
	r.candidate.becomes(seeded(nil))
	r.run(processtest.StatusOK, s.Commands[0], processtest.Fast...)
	documents := 0
	for _, c := range r.report().Tallies {
		documents += c.Compared
	}
	if documents < 1000 {
		r.Errorf("%d documents compared, want 1000", documents)
	}
}

func (r *rehearsal) report() survey.DiffReport {
	r.Helper()
	var result survey.DiffReport
	if err := json.Unmarshal([]byte(processtest.ReadFile(r.T, filepath.Join(r.dir, "report", "report.json"))), &result); err != nil {
		r.Fatal(err)
	}
	return result
}

// shadow compares the reads of clients.
func (r *rehearsal) shadow(s processtest.MigrationStep) {
	r.run(processtest.StatusOK, s.Commands[0])
	calls := r.candidate.calls.Load()
	for i := range 40 {
		r.readEvent("127.0.0.1", i)
	}
	r.until("compared", func(st staging.Snapshot) bool {
		var compared, different uint64
		for _, c := range st.Cells {
			compared = compared + c.Compared
			different = different + c.Different
		}
		if different > 0 {
			r.Fatalf("%d of %d answers differ", different, compared)
		}
		return compared >= 10
	})
	if r.candidate.calls.Load() == calls {
		r.Error("the candidate got no calls")
	}
}

// canary has some clients at the new site, until that fails and they go back.
func (r *rehearsal) canary(s processtest.MigrationStep) {
	r.run(processtest.StatusOK, s.Commands[0])
	calls := r.candidate.calls.Load()
	for i := range 100 {
		if status := r.readEvent(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
			r.Errorf("client %d: got %d", i, status)
		}
	}
	if r.candidate.calls.Load() == calls {
		r.Error("nobody was sent to the new site")
	}
	r.candidate.fails.Store(true)
	processtest.Eventually(r.T, "the canary is rolled back", func() bool {
		for i := range 100 {
			r.readEvent(fmt.Sprintf("192.0.2.%d", i), i)
		}
		return r.rolledBack()
	})
	for i := range 100 {
		if status := r.readEvent(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
			r.Errorf("client %d, after the canary was rolled back: got %d", i, status)
		}
	}
	r.mend()
	t := regexp.MustCompile(`"msg":"staging".*"who":"rollback","why":"\d+ of \d+ responses failed`)
	r.process.Expect(t.String())
}

// mend ends the failures of the new site, and waits until no circuit breaker refuses calls on it: what a
// breaker refuses counts as failed, and rolls back.
func (r *rehearsal) mend() {
	r.Helper()
	r.candidate.fails.Store(false)
	open := regexp.MustCompile(`(?m)^calfacade_upstream_breaker_open\{root="new:[a-z]+"\} 1$`)
	for _, i := range []*instance{r.instance, r.second} {
		processtest.Eventually(r.T, "the new site is called again", func() bool {
			return i == nil || !open.MatchString(i.serving().Metrics())
		})
	}
}

// everybody is sent to the new site: with a net, which holds, and without.
func (r *rehearsal) everybody(s processtest.MigrationStep) {
	r.run(processtest.StatusOK, s.Commands[0])
	r.candidate.fails.Store(true)
	processtest.Eventually(r.T, "failures roll it back", func() bool {
		for i := range 60 {
			if status := r.readEvent(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
				r.Errorf("client %d, while the new site fails: got %d", i, status)
			}
		}
		return r.rolledBack()
	})
	r.mend()
	r.run(processtest.StatusOK, s.Commands[1])
}

// switchOff ends the legacy.
func (r *rehearsal) switchOff(s processtest.MigrationStep) {
	r.add(s.Config)
	r.reload()
	r.legacy.Close()
	if out := r.run(processtest.StatusOK, s.Commands[0]); strings.Contains(out, r.legacy.URL) {
		r.Errorf("the legacy still gets calls:\n%s", out)
	}
	r.sameAsLegacy()
	if status := r.readEvent("127.0.0.1", 0); status != http.StatusOK {
		r.Errorf("got %d", status)
	}
}
