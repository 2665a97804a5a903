package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/report/reporttest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
)

// testRehearsal moves from one site to another by the commands of docs/migration.md,
// in their order and with its configuration, in all languages, from the facade in
// front of the legacy to the legacy switched off.
func testRehearsal(t *testing.T, binary string) {
	r := newRehearsal(t, binary)
	steps := stepsOf(t, readFile(t, migrationFile))
	for i, part := range []func(migrationStep){r.front, r.record, r.name, r.compare, r.shadow, r.canary, r.everybody, r.switchOff} {
		t.Logf("step %d", i+1)
		part(steps[i])
	}
}

// migrationStep is one of the document's, with its commands and what it adds to the
// configuration.
type migrationStep struct {
	commands []string
	config   string
}

var (
	nextHeading = regexp.MustCompile(`\n##+ `)
	stepStart   = regexp.MustCompile(`(?m)^\*\*\d\. `)
	codeOfStep  = regexp.MustCompile("(?s)```(sh|yaml)\n(.*?)```")
)

func stepsOf(t *testing.T, document string) []migrationStep {
	t.Helper()
	_, chapter, _ := strings.Cut(document, "## Moving to another backend")
	chapter = nextHeading.Split(chapter, 2)[0]
	var steps []migrationStep
	for _, text := range stepStart.Split(chapter, -1)[1:] {
		var s migrationStep
		for _, code := range codeOfStep.FindAllStringSubmatch(text, -1) {
			if code[1] == "yaml" {
				s.config = code[2]
			} else {
				s.commands = strings.Split(strings.TrimSpace(code[2]), "\n")
			}
		}
		steps = append(steps, s)
	}
	if len(steps) != 8 {
		t.Fatalf("%s has %d steps", migrationFile, len(steps))
	}
	return steps
}

const rehearsalToken = "rehearsal-0123456789"

// rehearsal is a team that moves.
type rehearsal struct {
	*testing.T
	binary, dir   string
	config        map[string]any
	sockets       heldSockets
	public, admin string // their addresses
	legacy        *httptest.Server
	candidate     *candidate
	process       *program
}

// candidate is the new site: the site that it was at first, with what is planted in
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
	return sim.New(sim.Options{Clock: noon, Events: 200, Planted: planted})
}

func newRehearsal(t *testing.T, binary string) *rehearsal {
	r := &rehearsal{T: t, binary: binary, dir: t.TempDir(), legacy: httptest.NewServer(seeded(nil)), candidate: new(candidate)}
	t.Cleanup(r.legacy.Close)
	r.candidate.url = serveTest(t, r.candidate)
	r.sockets = newSockets(t)
	r.public, r.admin = r.sockets.public, r.sockets.admin
	r.config = map[string]any{
		"listen": r.public, "admin_listen": r.admin, "public_url": "https://api.example.org",
		"trusted_proxies": []string{"127.0.0.0/8"},
		"admin":           map[string]any{"token": rehearsalToken},
		"log":             map[string]any{"requests": "errors"},
		"rewrite":         map[string]any{"site": pages},
		"cache":           map[string]any{"stale_if_error": "0s", "stale_while_revalidate": "0s"},
	}
	var languages []any
	for _, l := range demoConfig("", "https://legacy.example.org").Languages {
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
	var more map[string]any
	if err := yaml.Unmarshal([]byte(text), &more); err != nil {
		r.Fatal(err)
	}
	for _, b := range list(more["backends"]) {
		upstreams := b["upstreams"].(map[string]any)
		for _, code := range i18n.Codes[1:] {
			upstreams[code] = strings.ReplaceAll(upstreams["es"].(string), "/es/", "/"+code+"/")
		}
	}
	if languages := list(more["languages"]); languages != nil {
		all := []any{languages[0]}
		for _, code := range i18n.Codes[1:] {
			l := map[string]any{"code": code}
			for _, key := range []string{"root", "upstream"} {
				l[key] = strings.ReplaceAll(languages[1][key].(string), "/es/", "/"+code+"/")
			}
			all = append(all, l)
		}
		more["languages"] = all
	}
	for key, value := range more {
		r.config[key] = value
	}
	r.save()
}

func list(v any) []map[string]any {
	var all []map[string]any
	elements, _ := v.([]any) // nil is none
	for _, e := range elements {
		all = append(all, e.(map[string]any))
	}
	return all
}

func (r *rehearsal) save() {
	r.Helper()
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
	if err := os.WriteFile(filepath.Join(r.dir, "config.yaml"), []byte(cfg), 0o600); err != nil {
		r.Fatal(err)
	}
}

// command is a line of the document as the shell would have it, in the rehearsal's
// directory.
func (r *rehearsal) command(line string, more ...string) *exec.Cmd {
	args := append(words(line)[1:], more...)
	cmd := exec.CommandContext(r.Context(), r.binary, args...)
	cmd.Dir, cmd.Env = r.dir, []string{"HOME=" + r.dir}
	return cmd
}

// run runs a command that ends, and wants its exit status.
func (r *rehearsal) run(status int, line string, more ...string) string {
	r.Helper()
	cmd := r.command(line, more...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		r.Fatalf("%s: %v, want exit status %d\n%s", line, err, status, out)
	}
	return string(out)
}

// serve runs a command that serves on the sockets, as systemd would start it.
func (r *rehearsal) serve(line string) {
	r.Helper()
	cmd := r.command(line)
	r.sockets.pass(cmd)
	r.process = startCommand(r.T, cmd)
	r.process.expect(`"msg":"serving"`)
}

func (r *rehearsal) stop() {
	r.Helper()
	if status := r.process.stop(); status != exitOK {
		r.Errorf("the facade ended with %d", status)
	}
}

func (r *rehearsal) reload() {
	r.Helper()
	serving{program: r.process}.hangUp()
	r.process.expect(`"msg":"configuration reloaded"`)
}

// fast is what the document's commands leave out: two stand-ins take more.
var fast = []string{"--rate", "0", "--concurrency", "8"}

func (r *rehearsal) front(s migrationStep) {
	r.run(exitOK, s.commands[0])
	r.serve(s.commands[1])
	r.sameAsLegacy()
}

// sameAsLegacy reads what everybody reads, in every language.
func (r *rehearsal) sameAsLegacy() {
	r.Helper()
	for _, l := range demoConfig("", "").Languages {
		if status, body := r.get("127.0.0.1", l.Root+"/"+mapping.Namespace+"/events"); status != http.StatusOK || !strings.Contains(body, `"total"`) {
			r.Errorf("%s: got %d %s", l.Code, status, body)
		}
	}
}

func (r *rehearsal) record(s migrationStep) {
	r.stop()
	r.serve(s.commands[0])
	r.run(exitOK, s.commands[1], fast...)
	r.stop()
	r.serve("calfacade serve --config config.yaml --replay recording")
	r.sameAsLegacy()
	r.stop()
	r.serve("calfacade serve --config config.yaml")
}

func (r *rehearsal) name(s migrationStep) {
	r.candidate.becomes(seeded(nil))
	r.add(s.config)
	r.reload()
	if out := r.run(exitOK, s.commands[0]); strings.Count(out, "new:") != len(i18n.Codes) {
		r.Errorf("check does not report the new site's roots:\n%s", out)
	}
}

// compare finds what is planted, and nothing else; and nothing once that is mended.
func (r *rehearsal) compare(s migrationStep) {
	flawed := seeded(sim.SomePlants(60, 1))
	r.candidate.becomes(flawed)
	r.run(exitFail, s.commands[0], fast...)
	found := r.report()
	want := kindsOfPlants(flawed.Plants())
	if diff := cmp.Diff(want, reporttest.Kinds(found)); diff != "" {
		r.Errorf("differences (-planted +found):\n%s", diff)
	}
	planted := map[sim.PlantKind]bool{}
	for _, p := range flawed.Plants() {
		planted[p.Kind] = true
	}
	if len(planted) < 6 {
		r.Errorf("only %d kinds of differences are planted", len(planted))
	}
	r.candidate.becomes(seeded(nil))
	if err := os.RemoveAll(filepath.Join(r.dir, "report")); err != nil {
		r.Fatal(err)
	}
	r.run(exitOK, s.commands[0], fast...)
	var documents int64
	for _, c := range r.report().Cells {
		documents += c.Compared
	}
	if documents < 1000 {
		r.Errorf("%d documents compared, want 1000", documents)
	}
}

func (r *rehearsal) report() report.Report {
	r.Helper()
	var found report.Report
	if err := json.Unmarshal([]byte(readFile(r.T, filepath.Join(r.dir, "report", "report.json"))), &found); err != nil {
		r.Fatal(err)
	}
	return found
}

// shadow compares what clients read.
func (r *rehearsal) shadow(s migrationStep) {
	r.run(exitOK, s.commands[0])
	before := r.candidate.calls.Load()
	for i := range 40 {
		r.read("127.0.0.1", i)
	}
	r.until("compared", func(st staging.Snapshot) bool {
		var compared, different uint64
		for _, c := range st.Cells {
			compared, different = compared+c.Compared, different+c.Different
		}
		if different > 0 {
			r.Fatalf("%d of %d answers differ", different, compared)
		}
		return compared >= 10
	})
	if r.candidate.calls.Load() == before {
		r.Error("the candidate got no calls")
	}
}

// read reads events in Spanish that nobody has read, and wants an answer.
func (r *rehearsal) read(client string, n int) int {
	r.Helper()
	status, _ := r.get(client, fmt.Sprintf("/es/wp-json/%s/events?per_page=1&search=n%d-%d", mapping.Namespace, n, time.Now().UnixNano()))
	return status
}

// canary has some clients at the new site, until that fails and they go back.
func (r *rehearsal) canary(s migrationStep) {
	r.run(exitOK, s.commands[0])
	before := r.candidate.calls.Load()
	for i := range 100 {
		if status := r.read(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
			r.Errorf("client %d: got %d", i, status)
		}
	}
	if r.candidate.calls.Load() == before {
		r.Error("nobody was sent to the new site")
	}
	r.candidate.fails.Store(true)
	failed := 0
	for i := 0; !r.rolledBack(); i++ {
		if i == 2000 {
			r.Fatalf("not rolled back after %d failures", failed)
		}
		if r.read(fmt.Sprintf("192.0.2.%d", i%250), i) != http.StatusOK {
			failed++
		}
	}
	for i := range 100 {
		if status := r.read(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
			r.Errorf("client %d, after the canary was rolled back: got %d", i, status)
		}
	}
	r.candidate.fails.Store(false)
	t := regexp.MustCompile(`"msg":"staging".*"who":"rollback","why":"\d+ of \d+ answers failed`)
	r.process.expect(t.String())
}

var esEvents = staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}

// rolledBack reports whether the legacy has events in Spanish again.
func (r *rehearsal) rolledBack() bool {
	r.Helper()
	return r.status(esEvents).State == staging.Legacy
}

func (r *rehearsal) status(cell staging.Cell) staging.Status {
	r.Helper()
	for _, c := range r.snapshot().Cells {
		if c.Cell == cell {
			return c
		}
	}
	r.Fatalf("the matrix has no %s", cell)
	panic("unreachable")
}

// everybody is sent to the new site: with a net, which holds, and without.
func (r *rehearsal) everybody(s migrationStep) {
	r.run(exitOK, s.commands[0])
	r.candidate.fails.Store(true)
	for i := range 60 {
		if status := r.read(fmt.Sprintf("192.0.2.%d", i), i); status != http.StatusOK {
			r.Errorf("client %d, while the new site fails: got %d", i, status)
		}
	}
	if !r.rolledBack() {
		r.Error("60 failures and not rolled back")
	}
	r.candidate.fails.Store(false)
	r.run(exitOK, s.commands[1])
	r.writesStay()
}

// writesStay writes, and reads what was written, at the new site alone.
func (r *rehearsal) writesStay() {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "http://"+r.public+"/wp-json/"+mapping.Namespace+"/venues", strings.NewReader("venue=Rehearsal+hall"))
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	res, body := send(r.T, request)
	if res.StatusCode != http.StatusCreated {
		r.Fatalf("a write: got %d %s", res.StatusCode, body)
	}
	const search = "/wp-json/" + mapping.Namespace + "/venues?search=Rehearsal"
	if _, body := r.get("127.0.0.1", search); !strings.Contains(body, "Rehearsal hall") {
		r.Errorf("what was written is not read: %s", body)
	}
	direct := httptest.NewRecorder()
	there := strings.Replace(search, mapping.Namespace, mapping.Tribe.Namespace, 1)
	r.legacy.Config.Handler.ServeHTTP(direct, httptest.NewRequest(http.MethodGet, there, nil))
	if strings.Contains(direct.Body.String(), "Rehearsal hall") {
		r.Error("it was written to the legacy too")
	}
}

// switchOff ends the legacy.
func (r *rehearsal) switchOff(s migrationStep) {
	r.add(s.config)
	r.reload()
	r.legacy.Close()
	if out := r.run(exitOK, s.commands[0]); strings.Contains(out, r.legacy.URL) {
		r.Errorf("the legacy still gets calls:\n%s", out)
	}
	r.sameAsLegacy()
	if status := r.read("127.0.0.1", 0); status != http.StatusOK {
		r.Errorf("got %d", status)
	}
}

// get reads a path as a client.
func (r *rehearsal) get(client, path string) (status int, body string) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+r.public+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", client)
	res, data := send(r.T, request)
	checkLeaks(r.T, res.Header, data, pages)
	for _, site := range []string{r.legacy.URL, r.candidate.url} {
		if strings.Contains(string(data), strings.TrimPrefix(site, "http://")) {
			r.Errorf("%s: a site's URL is in the answer", path)
		}
	}
	return res.StatusCode, string(data)
}

func (r *rehearsal) snapshot() staging.Snapshot {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+r.admin+"/staging", nil)
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+rehearsalToken)
	res, body := send(r.T, request)
	var s staging.Snapshot
	if err := json.Unmarshal(body, &s); err != nil || res.StatusCode != http.StatusOK {
		r.Fatalf("GET /staging: %d %v", res.StatusCode, err)
	}
	return s
}

func (r *rehearsal) until(what string, ok func(staging.Snapshot) bool) {
	r.Helper()
	eventually(r.T, what, func() bool { return ok(r.snapshot()) })
}
