package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// newStagingOperator is an operator with a candidate.
func newStagingOperator(t *testing.T) *operator {
	o := newOperator(t)
	o.options.Staging = stagingtest.NewMatrix()
	o.options.Findings = new(compare.Findings)
	return o
}

func (o *operator) stagingPage() string {
	o.Helper()
	w := o.request("/status/staging", nil)
	if w.Code != http.StatusOK {
		o.Fatalf("the page: %d %v %s", w.Code, w.Header(), w.Body)
	}
	return w.Body.String()
}

// fill adds an example of each state and finding.
func (o *operator) fill() {
	o.Helper()
	m := o.options.Staging
	for _, c := range []struct {
		part    staging.Selection
		setting staging.Setting
		why     string
	}{
		{staging.Selection{Resources: []string{"events"}, Languages: []string{"en"}},
			staging.Setting{State: staging.Canary, Percent: 10}, "<b>begin</b>"},
		{staging.Selection{Ops: []staging.Op{staging.Read}, Languages: []string{"es"}}, staging.Setting{State: staging.Shadow}, ""},
		{staging.Selection{Resources: []string{"venues"}, Languages: []string{"en"}}, staging.Setting{State: staging.New}, ""},
	} {
		if err := m.Set(c.part, c.setting, "anna", c.why, false); err != nil {
			o.Fatal(err)
		}
	}
	for i := range 40 {
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}, i%40 == 0)
		m.Compared(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}, i%4 == 0)
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "en"}, i > 0)
	}
	write := staging.Cell{Op: staging.Write, Resource: "events", Language: "en"}
	m.Wrote(stagingtest.Candidate, write)
	m.Answered(stagingtest.Candidate, write, false)
	o.options.Findings.Add(compare.Step{Language: "es", Resource: "events", Compared: 1, Responses: []compare.Response{{
		Endpoint: "events.list", Call: "/events?per_page=2&password=opensesame", Result: compare.Result{Differences: []compare.Difference{
			{Path: "events[].title", Kind: compare.Value, Item: "12", Want: "<script>alert(1)</script>", Got: "Puerto & más",
				Cause: compare.Cause{Resource: "events", ID: "12", Member: "title"}},
			{Path: "events[].venue.city", Kind: compare.Missing, Item: "12", Want: "Bilbao",
				Cause: compare.Cause{Resource: "venues", ID: "4", Member: "city"}},
		}}}}})
}

func TestStatusStaging(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	o.fill()
	o.now = o.now.Add(time.Hour)
	page := o.stagingPage()
	for _, want := range []string{
		"The candidate is <strong>next</strong>. Rollbacks since start: 1.",
		`<strong>canary 10%</strong> reads and writes of events in en</p>`, `role="img" aria-label="10 % at the candidate"`,
		"2 hours ago by anna: &lt;b&gt;begin&lt;/b&gt;; writes at next alone: 1; configured: legacy</p>",
		"<span>Failed 2.44 % (1 of 41)</span>", "<span>Differ 25 % (10 of 40)</span>",
		`health warn"><span class="dot" aria-hidden="true"></span><strong>legacy</strong> reads and writes of venues in en</p>`,
		"Rolled back: reads and writes of venues in en", "19 of 20 responses failed within 1m0s",
		`<strong>shadow</strong> reads of events, venues in es <small>from legacy</small></p><p class="when">by anna, <time`,
		`<strong>legacy</strong> reads and writes of venues in en <small>from new</small> <q>`, `by rollback, <time`,
		`<th scope="row">events</th><td>es</td><td class="number">1</td><td class="number">1</td><td class="number">0</td>`,
		"<strong>title of events: another value</strong> <small>1 visible",
		"<strong>city of venues: missing on the candidate</strong>", "es 12 <code>",
		"&lt;script&gt;alert(1)&lt;/script&gt;", "Puerto &amp; más", "<dd><code>Bilbao</code></dd>", "<dd><code>–</code></dd>",
		`<a href="staging" aria-current="page">Staging</a>`, `name="resources" value="venues"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, never := range []string{"<script>alert", "opensesame", "<b>begin"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
	if overview := o.page(); !strings.Contains(overview, "Rolled back: reads and writes of venues in en") ||
		!strings.Contains(overview, `<a href="staging">Staging</a>`) {
		t.Errorf("the overview does not mention it: %s", overview)
	}
	ids := regexp.MustCompile(`<details id="(found-\w+)"`)
	if a, b := ids.FindAllString(page, -1), ids.FindAllString(o.stagingPage(), -1); len(a) != 2 || a[0] == a[1] ||
		strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("the ids of groups are %v, and then %v", a, b)
	}
}

// TestStatusChangesAsInTheMatrix: reads in shadow leave writes at the legacy. The last changes say so as the matrix does.
func TestStatusChangesAsInTheMatrix(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	part := staging.Selection{Resources: []string{"events"}, Languages: []string{"en"}}
	if err := o.options.Staging.Set(part, staging.Setting{State: staging.Shadow}, "anna", "", false); err != nil {
		t.Fatal(err)
	}
	page := o.stagingPage()
	for _, want := range []string{
		"<strong>shadow</strong> reads of events in en</p>",
		"<strong>shadow</strong> reads of events in en; <strong>legacy</strong> writes of events in en <small>from legacy</small>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, page)
		}
	}
}

// TestStatusStagingIsBounded: the page limits the findings and changes that it lists.
func TestStatusStagingIsBounded(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	for i := range 600 {
		o.options.Findings.Add(compare.Step{Resource: "events", Responses: []compare.Response{
			{Endpoint: "events.list", Result: compare.Result{Differences: []compare.Difference{{
				Path: fmt.Sprint("p", i), Kind: compare.Extra,
				Cause: compare.Cause{Resource: "events", Member: fmt.Sprint("p", i)}}}}}}})
		if err := o.options.Staging.Set(staging.Selection{}, staging.Setting{State: staging.New}, fmt.Sprint("who", i), "",
			false); err != nil {
			t.Fatal(err)
		}
	}
	page := o.stagingPage()
	if groups, changes := strings.Count(page, `<details id="found-`), strings.Count(page, ">by who"); groups != 20 || changes != 20 {
		t.Errorf("%d groups and %d changes", groups, changes)
	}
	if want := "481 more groups: see /staging."; !strings.Contains(page, want) {
		t.Errorf("the page lacks %s", want)
	}
}

// TestStatusModeWithoutACandidate: the page shows who has switched read-only mode, and no matrix.
func TestStatusModeWithoutACandidate(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	o.options.Staging.Configure(staging.Plan{})
	o.options.Staging.Note(staging.Change{Version: 3, When: time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC), Mode: "read_only",
		Who: "anna", Why: "the big day", Instance: "web1"})
	page := o.stagingPage()
	for _, want := range []string{"There is no candidate: the legacy serves all calls.",
		`<strong>read_only</strong> <q>the big day</q></p><p class="when">by anna, version 3, at web1, <time`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, `<ul class="rows`); n != 1 || strings.Contains(page, "fieldset") {
		t.Errorf("%d lists, want the changes alone: %s", n, page)
	}
}

// TestStatusNoStaging: without a candidate the page has a line, and no buttons.
func TestStatusNoStaging(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	o.options.Staging.Configure(staging.Plan{})
	page := o.stagingPage()
	if !strings.Contains(page, "There is no candidate: the legacy serves all calls.") ||
		strings.Contains(page, `<ul class="rows`) || strings.Contains(page, "fieldset") {
		t.Error(page)
	}
	if w := o.request("/status/do", url.Values{"do": {"stage"}, "state": {"new"}}); w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

func TestStatusStagingChanges(t *testing.T) {
	for _, test := range []struct {
		query, asks, want string
	}{
		{"methods=read&methods=write&resources=events&languages=en&languages=es&state=canary&percent=10&who=anna&why=it's+%22time%22",
			"Change staging to canary 10%?",
			`read events en canary 10% by anna it's "time"; write events en canary 10% by anna it's "time"; read events es canary ` +
				`10% by anna it's "time"; write events es canary 10% by anna it's "time"`},
		{"methods=read&resources=venues&languages=en&state=shadow&percent=10", "Reads are also sent to the candidate",
			"read venues en shadow by admin "},
		{"methods=read&methods=write&resources=venues&languages=en&state=new&percent=&soft=on", "reads of venues in en, now legacy",
			"read venues en new by admin ; write venues en new by admin "},
	} {
		o := newStagingOperator(t)
		o.signIn()
		confirm := o.request("/status/confirm?do=stage&"+test.query, nil)
		body := confirm.Body.String()
		if confirm.Code != http.StatusOK || !strings.Contains(body, test.asks) ||
			strings.Contains(body, "force") || stagingtest.Changed(o.options.Staging) != "" {
			t.Fatalf("%s: %d %s", test.query, confirm.Code, body)
		}
		w := o.request("/status/do", hidden(confirm.Body.String()))
		got := stagingtest.Changed(o.options.Staging)
		if w.Code != http.StatusSeeOther || got != test.want {
			t.Errorf("%s: %d, %s, want %s", test.query, w.Code, got, test.want)
		}
		if location := w.Header().Get("Location"); location != "staging?done=stage" ||
			!strings.Contains(o.request("/status/"+location, nil).Body.String(), "Staging was changed.") {
			t.Errorf("%s: redirects to %s", test.query, location)
		}
		if !strings.Contains(o.log.String(), `"msg":"staging changed","client":"127.0.0.1","from":"page"`) {
			t.Errorf("%s: logged %s", test.query, o.log.String())
		}
	}
}

// TestStatusStagingSplit: the page reports a split, and requires a separate choice.
func TestStatusStagingSplit(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	confirm := o.request("/status/confirm?do=stage&methods=read&resources=events&languages=en&state=new", nil).Body.String()
	for _, want := range []string{"events in en: reads are new, writes are legacy", `<input type="checkbox" name="force" required>`,
		`href="staging">No, go back`} {
		if !strings.Contains(confirm, want) {
			t.Errorf("the confirmation lacks %s: %s", want, confirm)
		}
	}
	form := hidden(confirm)
	if w := o.request("/status/do", form); w.Code != http.StatusConflict || stagingtest.Changed(o.options.Staging) != "" ||
		!strings.Contains(w.Body.String(), "reads are new, writes are legacy") {
		t.Errorf("without the choice: %d %s", w.Code, w.Body)
	}
	form.Set("force", "on")
	if w := o.request("/status/do", form); w.Code != http.StatusSeeOther ||
		stagingtest.Changed(o.options.Staging) != "read events en new by admin " {
		t.Errorf("with it: %d %s", w.Code, stagingtest.Changed(o.options.Staging))
	}
}

// TestStatusStagingRefuses: a missing box never selects everything.
func TestStatusStagingRefuses(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	valid := url.Values{"do": {"stage"}, "methods": {"read", "write"}, "resources": {"events"}, "languages": {"en"},
		"state": {"canary"}, "percent": {"10"}}
	for name, test := range map[string]struct {
		field, value string
		want         int
	}{
		"no methods":   {"methods", "", http.StatusBadRequest},
		"no resources": {"resources", "", http.StatusBadRequest},
		"no languages": {"languages", " ", http.StatusBadRequest},
		"no state":     {"state", "", http.StatusBadRequest},
		"unknown":      {"resources", "tags", http.StatusBadRequest},
		"no number":    {"percent", "ten", http.StatusBadRequest},
		"a secret":     {"why", adminToken, http.StatusBadRequest},
	} {
		form := url.Values{}
		for k, v := range valid {
			form[k] = v
		}
		form.Set(test.field, test.value)
		if w := o.request("/status/do", form); w.Code != test.want {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, test.want, w.Body)
		}
		if w := o.request("/status/confirm?"+form.Encode(), nil); w.Code != test.want {
			t.Errorf("%s: confirmation %d, want %d", name, w.Code, test.want)
		}
	}
	if got := stagingtest.Changed(o.options.Staging); got != "" {
		t.Errorf("changed: %s", got)
	}
	o.cookie = ""
	if w := o.request("/status/staging", nil); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "sign-in" {
		t.Errorf("without a session: %d %v", w.Code, w.Header())
	}
	if w := o.request("/status/do", valid); w.Code != http.StatusSeeOther || stagingtest.Changed(o.options.Staging) != "" {
		t.Errorf("a change without a session: %d", w.Code)
	}
}
