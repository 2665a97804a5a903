package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

func newStagingTest(t *testing.T) *purgeTest {
	p := newPurgeTest(t)
	p.options.Staging = stagingtest.NewMatrix()
	return p
}

func (p *purgeTest) stagingRequest(method, body string) *http.Request {
	r := p.request(body)
	r.Method = method
	r.URL.Path = "/staging"
	return r
}

func TestStaging(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"resources":["events"],"languages":["es"],"state":"canary","percent":10}`,
			"read events es canary 10% by admin ; write events es canary 10% by admin "},
		{`{"methods":["read"],"resources":["venues"],"languages":["en"],"state":"shadow","who":" anna ","why":"to see; it's <new>"}`,
			"read venues en shadow by anna to see; it's <new>"},
		{`{"methods":["read"],"resources":["events"],"languages":["en"],"state":"new","force":true}`, "read events en new by admin "},
		{`{"languages":["en"],"state":"new_with_fallback","why":"ä"}`,
			"read events en new_with_fallback by admin ä; write events en new by admin ä; " +
				"read venues en new_with_fallback by admin ä; write venues en new by admin ä"},
		{`{"methods":["read","write"],"state":"legacy"}`, ""},
		{`{"resources":["events"],"languages":["es"],"state":"canary","percent":10,"by":"requests"}`,
			"read events es canary 10% of requests by admin "},
		{`{"resources":["events"],"languages":["es"],"state":"canary","percent":10,"by":"clients"}`,
			"read events es canary 10% by admin ; write events es canary 10% by admin "},
	} {
		p := newStagingTest(t)
		w, answer := p.send(p.stagingRequest(http.MethodPost, test.body))
		got := stagingtest.Changed(p.options.Staging)
		if w.Code != http.StatusOK || got != test.want {
			t.Errorf("%s: %d, %s, want %s", test.body, w.Code, got, test.want)
		}
		if _, got := p.send(p.stagingRequest(http.MethodGet, "")); got != answer {
			t.Errorf("%s: answered %s, and then %s", test.body, answer, got)
		}
		if !strings.Contains(p.log.String(), `"msg":"staging changed","client":"192.0.2.1","from":"http","who":"a`) {
			t.Errorf("%s: logged %s", test.body, p.log.String())
		}
	}
}

const nothingFound = `"findings":{"cells":[],"findings":[],"kinds":[],"findings_total":0}}`

// TestStagingResponse checks the form of the response.
func TestStagingResponse(t *testing.T) {
	p := newStagingTest(t)
	p.options.Staging.Configure(staging.Plan{Candidate: stagingtest.Candidate,
		Cells: staging.Cells([]string{"events"}, []string{"en"}), Rollback: staging.Rollback{Errors: 1, Calls: 4}})
	p.send(p.stagingRequest(http.MethodPost, `{"state":"canary","percent":7,"why":"begin"}`))
	c := staging.Cell{Op: staging.Write, Resource: "events", Language: "en"}
	for range 3 {
		p.options.Staging.Wrote(stagingtest.Candidate, c)
		p.options.Staging.Answered(stagingtest.Candidate, c, false)
	}
	for _, number := range []uint64{6, 6, 7} {
		stagingtest.Route(p.options.Staging, stagingtest.Candidate, c, staging.Client{Number: number})
	}
	_, got := p.send(p.stagingRequest(http.MethodGet, ""))
	const since = `"since":"2026-05-04T11:00:00Z","who":"admin","why":"begin"`
	const change = `{"when":"2026-05-04T11:00:00Z","cells":[{"op":"read","resource":"events","language":"en"},{"op":"write",` +
		`"resource":"events","language":"en"}],"from":[{"state":"legacy"}],"to":{"state":"canary","percent":7},"who":"admin","why":"begin"}`
	want := `{"candidate":"next","cells":[{"op":"read","resource":"events","language":"en","state":"canary","percent":7,` + since +
		`,"calls":0,"failures":0,"compared":0,"different":0,"requests":{"legacy":0,"candidate":0},"file":{"state":"legacy"}},` +
		`{"op":"write","resource":"events","language":"en","state":"canary","percent":7,` + since +
		`,"calls":3,"failures":0,"compared":0,"different":0,"requests":{"legacy":1,"candidate":2},"file":{"state":"legacy"},` +
		`"written":3}],"history":[` + change + `],"rollbacks":0,"shared":false,"version":0,"known":true,` + nothingFound
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	p.options.Staging.Answered(stagingtest.Candidate, c, true)
	p.options.Findings = new(compare.Findings)
	p.options.Findings.Add(compare.Step{Language: "en", Resource: "events", Compared: 1, Responses: []compare.Response{{
		Endpoint: "events.list", Call: "/events",
		Result: compare.Result{Differences: []compare.Difference{{Path: "total", Kind: compare.Value, Want: "12", Got: "13",
			Cause: compare.Cause{Resource: "events", Member: "total"}}}}}}})
	_, got = p.send(p.stagingRequest(http.MethodGet, ""))
	want = `"rollbacks":0,"shared":false,"version":0,"known":true,"findings":{"cells":[{"language":"en","resource":"events",` +
		`"items":0,"affected":0,"findings":1,"failed":0,"compared":1,"noise":0}],` +
		`"findings":[{"language":"en","resource":"events","member":"total","list":true,"kind":"value","weight":"visible","want":"12",` +
		`"got":"13","responses":1,"calls":["/events"]}],` +
		`"kinds":[{"resource":"events","member":"total","list":true,"kind":"value","weight":"visible","findings":1,"listed":1,` +
		`"languages":{"en":1}}],"findings_total":1}}`
	if !strings.HasSuffix(got, want) || !strings.Contains(got, `"why":"not rolled back, though 1 of 4 responses failed within 1m0s: `+
		`next has accepted 3 writes that the legacy does not have"`) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStagingWithoutACandidate: the decisions that do not depend on one can be read.
func TestStagingWithoutACandidate(t *testing.T) {
	p := newStagingTest(t)
	p.options.Staging.Configure(staging.Plan{})
	p.options.Staging.Note(staging.Change{When: time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC), Mode: "read_only", Who: "anna"})
	w, got := p.send(p.stagingRequest(http.MethodGet, ""))
	want := `{"candidate":"","cells":[],"history":[{"when":"2026-05-04T11:00:00Z","cells":null,"to":{"state":""},"mode":"read_only",` +
		`"who":"anna"}],"rollbacks":0,"shared":false,"version":0,"known":true,` + nothingFound
	diff := cmp.Diff(want, got)
	if w.Code != http.StatusOK || diff != "" {
		t.Errorf("%d, -want +got:\n%s", w.Code, diff)
	}
}

func TestStagingRefused(t *testing.T) {
	change := func(f func(*http.Request)) func(*purgeTest, *http.Request) {
		return func(_ *purgeTest, r *http.Request) { f(r) }
	}
	for name, test := range map[string]struct {
		change func(*purgeTest, *http.Request)
		want   string
		header string // that the response must have
	}{
		"no token configured": {change: func(p *purgeTest, _ *http.Request) { p.options.Token = "" }, want: "404 staging_off"},
		"no token configured, read": {change: func(p *purgeTest, r *http.Request) {
			p.options.Token = ""
			r.Method = http.MethodGet
		}, want: "404 staging_off"},
		"no token": {change: change(func(r *http.Request) { r.Header.Del("Authorization") }),
			want: "401 unauthorized", header: "WWW-Authenticate"},
		"read without a token": {change: change(func(r *http.Request) { r.Method = http.MethodGet; r.Header.Del("Authorization") }),
			want: "401 unauthorized", header: "WWW-Authenticate"},
		"another token": {change: change(func(r *http.Request) { r.Header.Set("Authorization", "Bearer opensesame") }),
			want: "401 unauthorized"},
		"a form": {change: change(func(r *http.Request) {
			r.Header.Set("Content-Type",
				"application/x-www-form-urlencoded")
		}), want: "415 unsupported_media_type"},
		"no candidate": {change: func(p *purgeTest, _ *http.Request) { p.options.Staging.Configure(staging.Plan{}) },
			want: "404 no_candidate"},
		"no candidate is a secret": {change: func(p *purgeTest,
			r *http.Request) {
			p.options.Staging.Configure(staging.Plan{})
			r.Header = http.Header{}
		}, want: "401 unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newStagingTest(t)
			r := p.stagingRequest(http.MethodPost, `{"state":"shadow"}`)
			test.change(p, r)
			w, body := p.send(r)
			checkRefusal(t, p, w.Code, body, test.want)
			if test.header != "" && w.Header().Get(test.header) == "" {
				t.Errorf("no %s", test.header)
			}
		})
	}
}

func TestStagingBadBody(t *testing.T) {
	const invalid = "400 invalid_staging "
	const members = invalid + "want a JSON object, without duplicate members, of methods, resources, languages, state, percent, by, who, " +
		`why, version and force, as {"resources":["events"],"state":"canary","percent":10}`
	for body, want := range map[string]string{
		``:                                 members,
		`null`:                             invalid + "state, number 1, is not one of legacy, shadow, canary, new, new_with_fallback",
		`{"state":"new","state":"legacy"}`: members,
		`{"state":"new","opensesame":1}`:   members,
		`{"state":1}`:                      members,
		`{}`:                               invalid + "state, number 1, is not one of legacy, shadow, canary, new, new_with_fallback",
		`{"state":"opensesame"}`:           invalid + "state, number 1, is not one of legacy, shadow, canary, new, new_with_fallback",
		`{"state":"canary"}`:               invalid + "a canary takes 1 to 99 percent of the clients, not 0",
		`{"state":"new","percent":5}`:      invalid + "new takes no share of clients or requests",
		`{"state":"new","methods":["read","opensesame"]}`: invalid + "methods, number 2, is not one of read, write",
		`{"state":"new","resources":["tags"]}`:            invalid + "resources, number 1, is not one of events, venues",
		`{"state":"new","languages":["en","es","de"]}`:    invalid + "languages, number 3, is not one of en, es",
		`{"state":"new","methods":[]}`:                    invalid + "methods is empty: want some of read, write",
		`{"state":"new","resources":[]}`:                  invalid + "resources is empty: want some of events, venues",
		`{"state":"new","languages":[]}`:                  invalid + "languages is empty: want some of en, es",
		`{"state":"shadow","methods":["write"]}`: invalid +
			"writes alone cannot be shadow: a write is sent once, to one backend",
		`{"state":"new","who":"rollback"}`:                         invalid + "who is reserved for automatic changes",
		`{"state":"new","who":"configuration"}`:                    invalid + "who is reserved for automatic changes",
		`{"state":"new","who":"a\nb"}`:                             invalid + "who is not a line of at most 64 bytes",
		`{"state":"new","why":"a\u202eb"}`:                         invalid + "why is not a line of at most 300 bytes",
		`{"state":"new","who":"` + strings.Repeat("x", 65) + `"}`:  invalid + "who is not a line of at most 64 bytes",
		`{"state":"new","why":"` + strings.Repeat("x", 301) + `"}`: invalid + "why is not a line of at most 300 bytes",
		`{"state":"new","why":"by ` + adminToken + `!"}`: invalid +
			"who and why are shown to every operator: they must not contain secrets",
		`{"state":"new","who":"` + adminToken + `"}`: invalid +
			"who and why are shown to every operator: they must not contain secrets",
		`{"state":"new","why":"` + strings.Repeat("x", 64<<10) + `"}`: "413 content_too_large the body is larger than 64 KiB",
		`{"state":"new","resources":["events"],"methods":["read"]}`: "409 split reads and writes would go to different backends: " +
			"events in en: reads are new, writes are legacy; events in es: reads are new, writes are legacy",
	} {
		p := newStagingTest(t)
		w, got := p.send(p.stagingRequest(http.MethodPost, body))
		var refusal struct{ Code, Message string }
		if err := json.Unmarshal([]byte(got), &refusal); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d %s %s", w.Code, refusal.Code, refusal.Message); got != want {
			t.Errorf("%.80s: got %s, want %s", body, got, want)
		}
		if got := stagingtest.Changed(p.options.Staging); got != "" {
			t.Errorf("%.80s: changed: %s", body, got)
		}
		if !strings.Contains(p.log.String(), `"msg":"staging refused","client":"192.0.2.1"`) {
			t.Errorf("%.80s: logged %s", body, p.log.String())
		}
	}
}
