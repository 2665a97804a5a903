package documents_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// description is the help text of a metric; its type is known once it has a value.
var description = regexp.MustCompile(`^Desc\{fqName: "(calfacade_\w+)", help: "(.*?)"(?:, unit: "[^"]*")?, constLabels: ` +
	`\{(?:(\w+)=".*")?\}, variableLabels: \{([\w,]*)\}\}$`)

// sentMetric is a metric that a scrape reads from its source.
var sentMetric = regexp.MustCompile(`out\.(?:Total|Level)\("(\w+)"`)

// TestMetricsAreDocumented looks for every registered metric in the table that TestWatching
// generates from a scrape, where a metric without a value would be missing.
func TestMetricsAreDocumented(t *testing.T) {
	document := processtest.ReadFile(t, processtest.MetricsFile)
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		telemetry.NewMetrics("test").Gatherer().(prometheus.Collector).Describe(descriptions)
	}()
	n := 0
	for d := range descriptions {
		m := description.FindStringSubmatch(d.String())
		if m == nil {
			if strings.Contains(d.String(), "calfacade_") {
				t.Errorf("cannot read %s", d)
			}
			continue
		}
		n++
		labels := slices.DeleteFunc(append(strings.Split(m[4], ","), m[3]), func(l string) bool { return l == "" })
		slices.Sort(labels)
		cell := ""
		if len(labels) > 0 {
			cell = "`" + strings.Join(labels, "`, `") + "`"
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\| (counter|gauge|histogram) \\| %s \\| %s \\|$",
			m[1], regexp.QuoteMeta(cell), regexp.QuoteMeta(strings.ReplaceAll(m[2], `\"`, `"`))))
		if !row.MatchString(document) {
			t.Errorf("%s lacks %s; run go generate", processtest.MetricsFile, d)
		}
	}
	sources := processtest.ReadFile(t, processtest.Repository+"/proxy/telemetry/sources.go") +
		processtest.ReadFile(t, processtest.Repository+"/proxy/staging/control/metrics.go")
	for _, m := range sentMetric.FindAllStringSubmatch(sources, -1) {
		n++
		if !strings.Contains(document, "| `calfacade_"+m[1]+"` |") {
			t.Errorf("%s lacks calfacade_%s; run go generate", processtest.MetricsFile, m[1])
		}
	}
	if n < 35 {
		t.Errorf("only %d metrics are registered", n)
	}
}
