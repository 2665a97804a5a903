package statuspage_test

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/admin/statuspage"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// healthLines returns the lines at the top of the page: class, word and detail.
func (o *operator) healthLines() []string {
	o.Helper()
	part := regexp.MustCompile(`(?s)<div id="health" data-live>(.*?)</div>`).FindString(o.page())
	var lines []string
	for _, m := range regexp.MustCompile(`(?s)<p class="health (\w+)"><span[^>]*></span><strong>(.*?)</strong>(?: <small>(.*?)</small>)?</p>`).FindAllStringSubmatch(part, -1) {
		lines = append(lines, html.UnescapeString(strings.TrimSuffix(strings.Join(m[1:], " | "), " | ")))
	}
	return lines
}

// TestStatusHealth holds that the page has a line for each problem, and "All well" only
// without any.
func TestStatusHealth(t *testing.T) {
	open := func(state upstream.BreakerState) func(o *operator) {
		return func(o *operator) {
			o.metrics.Watch(telemetry.Sources{Upstreams: func() []upstream.RootStats {
				return []upstream.RootStats{{Root: "de", State: state, OpenFor: 4 * time.Second}}
			}})
		}
	}
	broken := func(failing, all int) func(o *operator) {
		return func(o *operator) {
			for i := range all {
				o.upstream = nil
				if i < failing {
					o.upstream = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) }
				}
				o.get("/en/wp-json/calendar/events/v1/events/" + string(rune('1'+i%9)) + strings.Repeat("0", i/9))
			}
		}
	}
	tests := map[string]struct {
		fault func(*operator)
		want  []string
	}{
		"healthy":      {broken(0, 3), []string{"good | All well"}},
		"idle":         {func(*operator) {}, []string{"good | All well"}},
		"rejected":     {func(o *operator) { o.state.Reloaded(errors.New("public_url: <b>bad</b>")) }, []string{"warn | Configuration rejected | 12:00:00 UTC (5 seconds ago), the previous one is in use: public_url: <b>bad</b>"}},
		"breaker open": {open(upstream.Open), []string{"bad | Site, de: breaker open | for at least 4s"}},
		"plugin missing": {func(o *operator) {
			o.metrics.Watch(telemetry.Sources{Upstreams: func() []upstream.RootStats { return []upstream.RootStats{{Root: "fr", NamespaceMissing: true}} }})
		}, []string{"bad | Site, fr: plugin missing | the last calls found no route: is the calendar plugin of the site active?"}},
		"half-open":  {open(upstream.HalfOpen), []string{"warn | Site, de: probing | the breaker lets a few calls through"}},
		"errors":     {broken(2, 9), []string{"bad | Server errors | 2 of 9 responses of the last minute"}},
		"few errors": {broken(1, 30), []string{"warn | Server errors | 1 of 30 responses of the last minute"}},
		"read-only": {func(o *operator) {
			o.request("/status/do", url.Values{"do": {"read-only"}, "form": {o.form()}})
		}, []string{"warn | Writes are refused"}},
		"differences": {func(o *operator) { o.count(51, 0) }, []string{"warn | Staging: responses of next differ | 51 of 51, of events in en, venues in es"}},
		"failures":    {func(o *operator) { o.count(0, 3) }, []string{"warn | Staging: responses of next fail | 3 of 10, of events in en"}},
		"two problems": {func(o *operator) {
			o.state.Reloaded(errors.New("late"))
			open(upstream.Open)(o)
		}, []string{"bad | Site, de: breaker open | for at least 4s", "warn | Configuration rejected | 12:00:00 UTC (5 seconds ago), the previous one is in use: late"}},
		"accepted again": {func(o *operator) {
			o.state.Reloaded(errors.New("late"))
			o.state.Reloaded(nil)
		}, []string{"good | All well"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := newStager(t)
			o.signIn()
			o.state.Sample()
			test.fault(o)
			o.now = o.now.Add(5 * time.Second)
			o.state.Sample()
			if got := o.healthLines(); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// count counts compared responses that differ, and those to clients of which some failed.
func (o *operator) count(different, failed int) {
	m := o.options.Staging
	if err := m.Set(staging.Selection{}, staging.Setting{State: staging.Canary, Percent: 10}, "anna", "", false); err != nil {
		o.Fatal(err)
	}
	for i := range different {
		c := staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}
		if i%2 > 0 {
			c = staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}
		}
		m.Compared(stagingtest.Candidate, c, true)
	}
	for i := range 10 {
		m.Answered(stagingtest.Candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "en"}, i < failed)
	}
}

// TestStatusShortens holds that a long reason does not fill the page.
func TestStatusShortens(t *testing.T) {
	state := statuspage.NewState(statuspage.StateOptions{Metrics: telemetry.NewMetrics("v1")})
	state.Reloaded(errors.New(strings.Repeat("ä", 10_000)))
	o := newOperator(t)
	o.state = state
	o.signIn()
	if n := strings.Count(o.page(), "ä"); n != 1000 {
		t.Errorf("%d characters", n)
	}
}
