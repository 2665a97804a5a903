package facadetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// InLegacyNames serves clients of the legacy's names.
func InLegacyNames(o *proxy.Options) {
	o.LegacyClients = &legacyclients.Options{Names: mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}}
	o.Metrics = telemetry.NewMetrics("v1")
}

// SendLegacy sends a request in the legacy's names: "GET /wp-json, path" and header fields.
func (f *CachedFacade) SendLegacy(line string, header ...string) (*http.Response, string) {
	f.T.Helper()
	method, path, _ := strings.Cut(line, " ")
	root, path, _ := strings.Cut(path, "/tribe")
	path, body, _ := strings.Cut(path, " ")
	r := Request(f.T, method, f.URL+root+"/tribe/events/v1"+path, body)
	r.Header.Set("Accept-Encoding", "identity")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	return res, string(got)
}

// StagedFacade is a cached facade with a candidate beside the legacy. Each responds with
// events whose title names the backend.
type StagedFacade struct {
	*CachedFacade
	Matrix    *staging.Matrix
	Candidate staging.Candidate
	Findings  *compare.Findings
	NewSite   site // the candidate

	mu      sync.Mutex
	Changes []staging.Change
}

// site is a backend that counts.
type site struct {
	Calls    atomic.Int32
	answers  atomic.Pointer[http.HandlerFunc]
	Received chan *http.Request // if not nil, gets each call; the response waits for that
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Calls.Add(1)
	if s.Received != nil {
		s.Received <- r.Clone(r.Context())
	}
	(*s.answers.Load())(w, r)
}

func (s *site) Says(h http.HandlerFunc) { s.answers.Store(&h) }

func NewStagedFacade(t *testing.T, rules []staging.Rule, rollback staging.Rollback, change func(*proxy.Options)) *StagedFacade {
	t.Helper()
	f := &StagedFacade{Findings: new(compare.Findings)}
	f.NewSite.Says(Entitled("new"))
	candidate := httptest.NewServer(&f.NewSite)
	t.Cleanup(candidate.Close)
	comparer, err := compare.Default().Compile()
	if err != nil {
		t.Fatal(err)
	}
	f.CachedFacade = NewCachedFacade(t, func(o *proxy.Options) {
		f.Matrix = staging.NewMatrix(o.Clock, func(c staging.Change) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.Changes = append(f.Changes, c)
		})
		o.Backends = []proxy.BackendOptions{{
			Name:      "new",
			Dialect:   mapping.API{Dialect: mapping.Neutral, LanguageParam: "i18n_language"},
			Upstreams: map[string]string{"en": candidate.URL + "/wp-json", "es": candidate.URL + "/es/wp-json"},
		}}
		o.Staging = &proxy.StagingOptions{
			Candidate: "new", Matrix: f.Matrix,
			Limits: staging.Limits{Rate: 10_000}, Comparer: comparer, Findings: f.Findings,
		}
		if change != nil {
			change(o)
		}
		f.Candidate = proxy.CandidateOf(o.Backends[0])
		f.Matrix.Configure(staging.Plan{
			Candidate: f.Candidate, Cells: staging.Cells(mapping.Resources(), o.Site.Codes()), Rules: rules, Rollback: rollback,
		})
	})
	f.Answers(Entitled("old"))
	return f
}

// StagingOf returns the staging of options, to change it.
func StagingOf(o *proxy.Options) *proxy.StagingOptions {
	if o.Staging == nil {
		o.Staging = new(proxy.StagingOptions)
	}
	return o.Staging.(*proxy.StagingOptions)
}

// Unwatched compares nothing.
func Unwatched(o *proxy.Options) { StagingOf(o).Comparer = nil }

func Everywhere(state staging.State) []staging.Rule { return []staging.Rule{Rule(state, 0)} }

func Rule(state staging.State, percent int) staging.Rule {
	return staging.Rule{Setting: staging.Setting{State: state, Percent: percent}}
}

// Compared counts the answers that were compared.
func (f *StagedFacade) Compared() (n int64) {
	report := f.Findings.Snapshot()
	return int64(report.Sum().Compared)
}

const (
	TesterToken  = "a-token-of-testers"
	TesterField  = "X-Calfacade-Tester: " + TesterToken
	TesterCookie = "Cookie: theme=dark; calfacade-tester=" + TesterToken
)

// NewTestedFacade is a staged facade with testers, which compares nothing.
func NewTestedFacade(t *testing.T, rules []staging.Rule, change func(*proxy.Options)) *StagedFacade {
	return NewStagedFacade(t, rules, staging.Rollback{Errors: 1, Calls: 2}, func(o *proxy.Options) {
		Unwatched(o)
		StagingOf(o).TesterToken = TesterToken
		if change != nil {
			change(o)
		}
	})
}
