package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

var (
	dashboardFile = processtest.Repository + "/docs/deploy/grafana/calfacade.json"
	alertsFile    = processtest.Repository + "/docs/deploy/prometheus/alerts.yaml"
)

const alertTests = "testdata/alerts.yaml"

// TestWatching compares the dashboard, the alerts and docs/metrics.md with what a
// facade and calfacade audit expose at /metrics.
func TestWatching(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	site := processtest.Serve(t, sim.New(sim.Options{}))
	s := startServe(t, build(t), site, "cache: {redis: 'redis://127.0.0.1:1'}\nstaging: {candidate: next}\n"+
		"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: '"+site+"/wp-json'}}]\nlegacy_clients: {enabled: true}\n"+
		"edge: {tags: xkey, purge: [{name: front, type: varnish, url: 'http://127.0.0.1:1'}]}")
	if got := <-s.begin("/events"); got.status != http.StatusOK {
		t.Fatalf("got %+v", got)
	}
	legacy := s
	legacy.base = strings.Replace(s.base, "calendar/events/v1", "tribe/events/v1", 1)
	if got := <-legacy.begin("/events"); got.status != http.StatusOK {
		t.Fatalf("in the legacy's names: %+v", got)
	}
	auditor := serving{program: s.program, admin: "http://" + freeAddress(t)}
	audit := []string{
		"audit", "--config", writeConfig(t, site, ""), "--url", site, "--every", "1h", "--listen", strings.TrimPrefix(auditor.admin,
			"http://"),
	}
	go runCommand(t.Context(), t, audit, nil, nil, io.Discard, io.Discard)
	s.eventually("the auditor listens", func() bool {
		c, err := net.Dial("tcp", audit[len(audit)-1])
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	var samples scrape
	// A request is counted, and then timed, after its response was sent.
	s.eventually("the requests are counted", func() bool {
		samples = s.scrape()
		maps.Copy(samples, auditor.scrape())
		return samples["calfacade_requests_total"] != nil && samples["calfacade_request_duration_seconds"] != nil &&
			samples["calfacade_legacy_client_requests_total"] != nil && samples["calfacade_audit_answers"] != nil
	})
	t.Run("dashboard", func(t *testing.T) { samples.check(t, dashboardQueries(t)) })
	t.Run("alerts", func(t *testing.T) { samples.check(t, alertQueries(t)) })
	t.Run("document", func(t *testing.T) { checkGenerated(t, metricsFile, "metrics", metricTable(samples)) })
}

func (s serving) scrape() scrape {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.admin+"/metrics", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := send(s.T, r)
	if res.StatusCode != http.StatusOK {
		s.Fatalf("/metrics: %s", res.Status)
	}
	return readScrape(string(body))
}

// scrape is the result of a scrape, by the name of the metric.
type scrape map[string]*family

type family struct {
	kind, help string
	labels     map[string]bool
}

var sample = regexp.MustCompile(`^(\w+?)(?:\{(.*)\})? \S+$`)
var labelName = regexp.MustCompile(`(\w+)="`)

// readScrape reads the text format as far as a scrape of our own goes: no value
// of a label has a quote in it.
func readScrape(text string) scrape {
	s := scrape{}
	var f *family
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if docLine, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(docLine, " ")
			f = &family{help: help, labels: map[string]bool{}}
			s[name] = f
		} else if kind, ok := strings.CutPrefix(line, "# TYPE "); ok {
			_, f.kind, _ = strings.Cut(kind, " ")
		} else if m := sample.FindStringSubmatch(line); m != nil {
			for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
				f.labels[l[1]] = true
			}
		}
	}
	return s
}

// find returns the family of a sample's name.
func (s scrape) find(name string) *family {
	if f := s[name]; f != nil {
		return f
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if f := s[strings.TrimSuffix(name, suffix)]; f != nil && f.kind == "histogram" {
			return f
		}
	}
	return nil
}

// query is an expression, and a text beside it that shows labels of its result.
type query struct{ place, expr, shows string }

var (
	selector   = regexp.MustCompile(`\b((?:calfacade|go|process)_\w+|up|ALERTS)\b(?:\{([^}]*)\})?`)
	matcher    = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`\b(?:by|without|on)\s*\(([^)]*)\)`)
	references = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}`)
)

// check fails for a metric or a label that no scrape has.
func (s scrape) check(t *testing.T, queries []query) {
	t.Helper()
	if len(queries) == 0 {
		t.Fatal("no queries")
	}
	for _, q := range queries {
		allowed := map[string]bool{"job": true, "instance": true} // Prometheus adds them
		names := selector.FindAllStringSubmatch(q.expr, -1)
		if len(names) == 0 {
			t.Errorf("%s: no metric in %s", q.place, q.expr)
		}
		for _, m := range names {
			f := s.find(m[1])
			switch m[1] { // series of Prometheus itself
			case "up":
				f = &family{}
			case "ALERTS":
				f = &family{labels: map[string]bool{"alertname": true, "alertstate": true}}
			}
			if f == nil {
				t.Errorf("%s: no scrape has %s", q.place, m[1])
				continue
			}
			maps.Copy(allowed, f.labels)
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if !f.labels[l[1]] && l[1] != "job" && l[1] != "instance" {
					t.Errorf("%s: %s has no label %s", q.place, m[1], l[1])
				}
			}
		}
		groups := grouping.FindAllStringSubmatch(q.expr, -1)
		var grouped []string
		for _, m := range groups {
			grouped = append(grouped, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
		}
		for _, l := range grouped {
			if !allowed[l] {
				t.Errorf("%s: nothing in %s has the label %s", q.place, q.expr, l)
			}
		}
		for _, m := range references.FindAllStringSubmatch(q.shows, -1) {
			if !allowed[m[1]] || len(groups) > 0 && !slices.Contains(grouped, m[1]) {
				t.Errorf("%s: the result has no label %s to show", q.place, m[1])
			}
		}
	}
}

func dashboardQueries(t *testing.T) []query {
	var d struct {
		Panels []struct {
			Type, Title, Description string

			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Type string }
		}
	}
	if err := json.Unmarshal([]byte(processtest.ReadFile(t, dashboardFile)), &d); err != nil {
		t.Fatal(err)
	}
	allowed := []string{"__rate_interval"}
	for _, v := range d.Templating.List {
		allowed = append(allowed, v.Name)
	}
	var queries []query
	for _, p := range d.Panels {
		if p.Type != "row" && !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s: the description is %q", p.Title, p.Description)
		}
		for _, q := range p.Targets {
			queries = append(queries, query{place: p.Title, expr: q.Expr, shows: q.LegendFormat})
			for _, v := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(q.Expr, -1) {
				if !slices.Contains(allowed, v[1]) {
					t.Errorf("%s: no variable is called %s", p.Title, v[1])
				}
			}
		}
	}
	return queries
}

func alertQueries(t *testing.T) []query {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(processtest.ReadFile(t, alertsFile)), &rules); err != nil {
		t.Fatal(err)
	}
	var queries []query
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			queries = append(queries, query{
				place: r.Alert,
				expr:  r.Expr,
				shows: strings.Join(slices.Sorted(maps.Values(r.Annotations)), " "),
			})
		}
	}
	return queries
}

// TestAlertsAreRules checks the alerts with Prometheus's own tool, and runs a test of each.
func TestAlertsAreRules(t *testing.T) {
	t.Parallel()
	tests := processtest.ReadFile(t, alertTests)
	for _, q := range alertQueries(t) {
		if !strings.Contains(tests, `alertname="`+q.place+`"`) {
			t.Errorf("%s has no test of %s", alertTests, q.place)
		}
	}
	tool := prometheusTool(t, "promtool")
	for _, args := range [][]string{{"check", "rules", alertsFile}, {"test", "rules", alertTests}} {
		if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// prometheusTool returns the path of a program of Prometheus, without which the test is skipped,
// or fails in CI.
func prometheusTool(t *testing.T, name string) string {
	t.Helper()
	tool, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(name + " is not installed")
	}
	return tool
}

func metricTable(samples scrape) string {
	var b strings.Builder
	b.WriteString("| Metric | Type | Labels | Help |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		f := samples[name]
		if !strings.HasPrefix(name, "calfacade_") {
			continue
		}
		delete(f.labels, "le")
		labels := ""
		if len(f.labels) > 0 {
			labels = "`" + strings.Join(slices.Sorted(maps.Keys(f.labels)), "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, f.kind, labels, f.help)
	}
	return b.String()
}
