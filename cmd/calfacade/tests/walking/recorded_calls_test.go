package walking_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestRecordedCalls: each call that the facade sends to a site, in scenarios, the walk
// and the commands, was made to a real site, with such a response. What no recording
// shows stands in testdata/unrecorded.txt with its reason.
//
// A call is reduced to its form: the user, the request and the outcome must have been
// recorded, and so must each value's form for that endpoint, if beside other values.
func TestRecordedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	calls, values := recordedForms(t)
	excused := readExcuses(t)
	used := map[string]bool{}
	missing := map[string]string{}
	check := func(key, source string, forms map[string]bool) {
		switch {
		case forms[key]:
		case excused[key] != "":
			used[key] = true
		default:
			missing[key] = source
		}
	}
	requests := slices.Concat(scenarioCalls(t), walkCalls(t), commandCalls(t))
	for _, c := range requests {
		f, ok := formOf(c)
		if !ok {
			continue
		}
		if excused["scenario "+c.Source] != "" {
			used["scenario "+c.Source] = true
			continue
		}
		check(f.call, c.Source, calls)
		for _, value := range f.values {
			if accepted, ok := strings.CutSuffix(value, refused); ok && values[accepted] {
				continue // accepted values may be refused beside others
			}
			check(value, c.Source, values)
		}
	}
	for _, key := range slices.Sorted(mapKeys(missing)) {
		t.Errorf("no recording shows %q (%s)", key, missing[key])
	}
	for key := range excused {
		if !used[key] {
			t.Errorf("testdata/unrecorded.txt: %q is not needed", key)
		}
	}
	t.Logf("%d calls, %d forms of calls and %d of values are recorded", len(requests), len(calls), len(values))
	if len(requests) < 500 {
		t.Errorf("only %d calls", len(requests))
	}
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// recordedForms returns the forms of all recordings.
func recordedForms(t *testing.T) (calls, values map[string]bool) {
	t.Helper()
	calls = map[string]bool{}
	values = map[string]bool{}
	for _, file := range recordedtest.Files(t, "*/*/*") {
		f, ok := formOf(processtest.RecordedCall(t, file))
		if !ok {
			continue
		}
		calls[f.call] = true
		for _, value := range f.values {
			values[value] = true
		}
	}
	return calls, values
}

// readExcuses reads lines of a form or "scenario NAME", a tab, and the reason.
func readExcuses(t *testing.T) map[string]string {
	t.Helper()
	excuses := map[string]string{}
	for line := range strings.Lines(processtest.ReadFile(t, "testdata/unrecorded.txt")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Fatalf("testdata/unrecorded.txt: no reason: %s", line)
		}
		excuses[key] = reason
	}
	return excuses
}

// scenarioCalls are the calls of the scenarios, with the replies of their sites.
func scenarioCalls(t *testing.T) []processtest.SiteCall {
	t.Helper()
	files, err := filepath.Glob(processtest.Repository + "/proxy/tests/contract/testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	var calls []processtest.SiteCall
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, section := range archive.Files {
			head, body, _ := strings.Cut(string(section.Data), "\n\n")
			lines := strings.Split(strings.TrimSpace(head), "\n")
			switch section.Name {
			case "upstream":
				method, target, _ := strings.Cut(lines[0], " ")
				c := processtest.SiteCall{Source: name, Method: method, Target: target, Header: http.Header{}, Body: []byte(strings.TrimSpace(body))}
				for _, line := range lines[1:] {
					field, value, _ := strings.Cut(line, ": ")
					c.Header.Set(field, value)
				}
				calls = append(calls, c)
			case "reply":
				c := &calls[len(calls)-1]
				_, _ = fmt.Sscan(lines[0], &c.Status)
				c.Answer = []byte(body)
			}
		}
	}
	return calls
}

// listener records the calls to a site, and its responses.
type listener struct {
	site  http.Handler
	mu    sync.Mutex
	calls []processtest.SiteCall
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	l.site.ServeHTTP(answer, r)
	l.mu.Lock()
	l.calls = append(l.calls, processtest.SiteCall{Method: r.Method, Target: r.RequestURI, Header: r.Header, Body: body, Status: answer.Code,
		Answer: answer.Body.Bytes()})
	l.mu.Unlock()
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// heard are the calls, by the name of their origin.
func (l *listener) heard(sender string) []processtest.SiteCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.calls {
		l.calls[i].Source = sender
	}
	return l.calls
}

// walkCalls are the calls of a walk over all rows.
func walkCalls(t *testing.T) []processtest.SiteCall {
	t.Helper()
	site := &listener{site: sim.New(sim.Options{})}
	legacy := processtest.Serve(t, site)
	server := httptest.NewUnstartedServer(nil)
	cfg := config.Demo("http://"+server.Listener.Addr().String(), legacy)
	server.Config.Handler = proxy.New(service.FacadeOptions(cfg, zap.NewNop()))
	server.Start()
	t.Cleanup(server.Close)
	processtest.WalkOver(t, cfg, legacy)
	return site.heard("walk")
}

// commandCalls are the calls of diff, over all dialects of a candidate that are recorded, and of the probe that
// check makes.
func commandCalls(t *testing.T) []processtest.SiteCall {
	t.Helper()
	var calls []processtest.SiteCall
	for dialect, backend := range map[*mapping.Dialect]http.Handler{
		tribe.Dialect: sim.New(sim.Options{Clock: processtest.Noon}), tec.Dialect: http.HandlerFunc(processtest.EmptySuccessor),
	} {
		site := &listener{site: sim.New(sim.Options{Clock: processtest.Noon})}
		candidate := &listener{site: backend}
		compareSites(t, processtest.StagedConfig(t, dialect, processtest.Serve(t, site), processtest.Serve(t, candidate)))
		calls = append(calls, site.heard("diff")...)
		calls = append(calls, candidate.heard("diff, candidate "+dialect.Namespace)...)
	}
	site := &listener{site: sim.New(sim.Options{Clock: processtest.Noon})}
	proxy.New(service.FacadeOptions(config.Demo("http://facade.example", processtest.Serve(t, site)), zap.NewNop())).Probe(t.Context())
	return append(calls, site.heard("check")...)
}

// compareSites compares the candidate of a configuration with the legacy, as "calfacade diff" does.
func compareSites(t *testing.T, c config.Config) {
	t.Helper()
	facade := proxy.New(service.FacadeOptions(c, zap.NewNop()))
	t.Cleanup(facade.Close)
	rules, err := c.Comparer("new")
	if err != nil {
		t.Fatal(err)
	}
	comparison := survey.Comparison{
		Legacy:    survey.Paced(facade.Reader(upstream.LegacyName).Read, 0),
		Candidate: survey.Paced(facade.Reader("new").Read, 0),
		Rules:     rules,
		Languages: c.Languages.Codes(),

		CandidateID: c.Backend("new").ItemIDs().There,
	}
	if _, err := comparison.Run(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
}
