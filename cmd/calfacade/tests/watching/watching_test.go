//go:build !race

package watching_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
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

//go:generate go test -run ^TestWatching$ -update .

// TestWatching compares the dashboard, the alerts and docs/metrics.md with what a
// facade and calfacade audit expose at /metrics.
func TestWatching(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	site := processtest.Serve(t, sim.New(sim.Options{}))
	s := processtest.StartServe(t, processtest.Build(t), site, "cache: {redis: 'redis://127.0.0.1:1'}\nstaging: {candidate: next}\n"+
		"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: '"+site+"/wp-json'}}]\nlegacy_clients: {enabled: true}\n"+
		"edge: {tags: xkey, purge: [{name: front, type: varnish, url: 'http://127.0.0.1:1'}]}")
	if got := <-s.Begin("/events"); got.Status != http.StatusOK {
		t.Fatalf("got %+v", got)
	}
	legacy := s
	legacy.Base = strings.Replace(s.Base, "calendar/events/v1", "tribe/events/v1", 1)
	if got := <-legacy.Begin("/events"); got.Status != http.StatusOK {
		t.Fatalf("in the legacy's names: %+v", got)
	}
	auditor := processtest.Serving{Program: s.Program, Admin: "http://" + processtest.FreeAddress(t)}
	audit := []string{
		"audit", "--config", processtest.WriteConfig(t, site, ""), "--url", site, "--every", "1h", "--listen", strings.TrimPrefix(auditor.Admin,
			"http://"),
	}
	go processtest.RunCommand(t.Context(), t, audit, nil, nil, io.Discard, io.Discard)
	s.Eventually("the auditor listens", func() bool {
		c, err := net.Dial("tcp", audit[len(audit)-1])
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	var samples processtest.Scrape
	// A request is counted, and then timed, after its response was sent.
	s.Eventually("the requests are counted", func() bool {
		samples = s.Scrape()
		maps.Copy(samples, auditor.Scrape())
		return samples["calfacade_requests_total"] != nil && samples["calfacade_request_duration_seconds"] != nil &&
			samples["calfacade_legacy_client_requests_total"] != nil && samples["calfacade_audit_answers"] != nil
	})
	t.Run("dashboard", func(t *testing.T) { samples.Check(t, dashboardQueries(t)) })
	t.Run("alerts", func(t *testing.T) { samples.Check(t, alertQueries(t)) })
	t.Run("document", func(t *testing.T) {
		processtest.CheckGenerated(t, processtest.MetricsFile, "metrics", metricTable(samples))
	})
}

func dashboardQueries(t *testing.T) []processtest.Query {
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
	var queries []processtest.Query
	for _, p := range d.Panels {
		if p.Type != "row" && !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s: the description is %q", p.Title, p.Description)
		}
		for _, q := range p.Targets {
			queries = append(queries, processtest.Query{Place: p.Title, Expr: q.Expr, Shows: q.LegendFormat})
			for _, v := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(q.Expr, -1) {
				if !slices.Contains(allowed, v[1]) {
					t.Errorf("%s: no variable is called %s", p.Title, v[1])
				}
			}
		}
	}
	return queries
}

func alertQueries(t *testing.T) []processtest.Query {
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
	var queries []processtest.Query
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			queries = append(queries, processtest.Query{
				Place: r.Alert,
				Expr:  r.Expr,
				Shows: strings.Join(slices.Sorted(maps.Values(r.Annotations)), " "),
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
		if !strings.Contains(tests, `alertname="`+q.Place+`"`) {
			t.Errorf("%s has no test of %s", alertTests, q.Place)
		}
	}
	tool := processtest.PrometheusTool(t, "promtool")
	for _, args := range [][]string{{"check", "rules", alertsFile}, {"test", "rules", alertTests}} {
		if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func metricTable(samples processtest.Scrape) string {
	var b strings.Builder
	b.WriteString("| Metric | Type | Labels | Help |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		f := samples[name]
		if !strings.HasPrefix(name, "calfacade_") {
			continue
		}
		delete(f.Labels, "le")
		labels := ""
		if len(f.Labels) > 0 {
			labels = "`" + strings.Join(slices.Sorted(maps.Keys(f.Labels)), "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, f.Kind, labels, f.Help)
	}
	return b.String()
}
