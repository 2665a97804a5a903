//go:build !race

package watching_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// monitor is a Prometheus that scrapes facades each second, with the shipped alerts.
type monitor struct {
	*testing.T
	url string
}

// startMonitor scrapes the admin listeners of s, as the job of the shipped files.
func startMonitor(t *testing.T, s ...processtest.Serving) monitor {
	t.Helper()
	prometheus := processtest.PrometheusTool(t, "prometheus")
	rules, err := filepath.Abs(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, instance := range s {
		targets = append(targets, strconv.Quote(strings.TrimPrefix(instance.Admin, "http://")))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 1s, scrape_timeout: 1s}\nrule_files: [%q]\nscrape_configs: [{job_name: calfacade, "+
		"static_configs: [{targets: [%s]}]}]\n",
		rules, strings.Join(targets, ", "))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := processtest.StartCommand(t, exec.Command(prometheus, "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"),
		"--web.listen-address", "127.0.0.1:0", "--web.enable-lifecycle"))
	address := p.Expect(`msg="Listening on" address=(\S+)`)[1]
	p.Expect(`Server is ready to receive web requests`)
	return monitor{T: t, url: "http://" + address}
}

// series is one series of the result of a query.
type series struct {
	Metric map[string]string
	Value  [2]any
}

// query evaluates an expression now.
func (m monitor) query(expr string) ([]series, error) {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), http.MethodGet, m.url+"/api/v1/query?query="+url.QueryEscape(expr), nil)
	if err != nil {
		return nil, err
	}
	_, body := processtest.Send(m.T, r)
	var answer struct {
		Status, Error string
		Data          struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf("%s: %s", answer.Status, answer.Error)
	}
	var result []series
	return result, json.Unmarshal(answer.Data.Result, &result)
}

// number returns whether a series has a value that can be drawn.
func (s series) number() bool {
	text, _ := s.Value[1].(string)
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// until waits until the result of a query is ok: after a scrape that took too long nothing has a
// value, until the next one.
func (m monitor) until(condition, expr string, ok func([]series) bool) {
	m.Helper()
	processtest.Eventually(m.T, condition+": "+expr, func() bool {
		result, err := m.query(expr)
		if err != nil {
			m.Fatalf("%s: %v\n%s", condition, err, expr)
		}
		return ok(result)
	})
}

// wantValues waits until a query has a value.
func (m monitor) wantValues(q processtest.Query, expr string) {
	m.Helper()
	m.until(q.Place+" has a value", expr, func(result []series) bool { return slices.ContainsFunc(result, series.number) })
}

// dashboardVariables are the values that Grafana inserts if all is selected.
var dashboardVariables = strings.NewReplacer("$job", ".*", "$instance", ".*", "$language", ".*", "$__rate_interval", "5s")

// comparison is the part of an alert that compares. A sum instead of it has a value on a healthy site too.
var comparison = regexp.MustCompile(`\s(==|>=|>|<)\s`)

// ofHealthySite replaces matchers of series that a healthy site does not have.
var ofHealthySite = strings.NewReplacer(`status="5xx"`, `status="2xx"`, `cache="stale_if_error"`, `cache="hit"`, " offset 1d", "")

// TestDashboard evaluates each query of the dashboard and of the alerts in a Prometheus that
// scrapes a healthy facade under load: with Redis, a candidate and a cache in front, and without these.
func TestDashboard(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	processtest.PrometheusTool(t, "prometheus")
	t.Parallel()
	site := processtest.Serve(t, sim.New(sim.Options{}))
	front := processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	_, redis := processtest.StartRedis(t)
	setups := map[string]string{
		"memory": "",
		"redis and candidate": "cache: {redis: '" + redis +
			"', redis_timeout: 5s}\nedge: {tags: xkey, purge: [{name: front, type: varnish, url: '" + front +
			"'}]}\nstaging: {candidate: next, rules: [{state: shadow}]}\n" +
			"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: '" + site + "/wp-json'}}]",
	}
	if redis == "" {
		delete(setups, "redis and candidate")
	}
	for name, config := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := processtest.StartServe(t, processtest.Build(t), site, config)
			m := startMonitor(t, s)
			stop := s.Visit()
			m.eventually("there are samples", `count_over_time(calfacade_upstream_calls_total{status="2xx", root="en"}[1m]) > 7`)
			for _, q := range dashboardQueries(t) {
				m.wantValues(q, dashboardVariables.Replace(q.Expr))
			}
			for _, q := range alertQueries(t) {
				m.until(q.Place+" has no result on a healthy site", q.Expr, func(result []series) bool { return len(result) == 0 })
				if strings.Contains(q.Expr, "calfacade_audit") {
					continue // the facade does not have it
				}
				if optional := regexp.MustCompile("onward|redis|compared|decisions").MatchString(q.Expr); !optional || config != "" {
					m.wantValues(q, comparison.ReplaceAllString(ofHealthySite.Replace(q.Expr), " + "))
				}
			}
			stop()
			s.Eventually("the status page says that all is well", func() bool { return strings.Contains(s.StatusPage(), "All well") })
		})
	}
}

// eventually waits until a query has a result.
func (m monitor) eventually(condition, expr string) {
	m.Helper()
	m.within(processtest.Patience, condition, expr)
}

// within is eventually with another limit. It returns how long it took.
func (m monitor) within(limit time.Duration, condition, expr string) time.Duration {
	m.Helper()
	began := time.Now()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for time.Since(began) < limit {
		if result, err := m.query(expr); err != nil {
			m.Fatalf("%s: %v", expr, err)
		} else if len(result) > 0 {
			return time.Since(began)
		}
		<-ticker.C
	}
	m.Fatalf("not within %s: %s (%s)", limit, condition, expr)
	return 0
}
