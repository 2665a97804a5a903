package admin_test

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

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
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
	line := regexp.MustCompile(`(?s)<p class="health (\w+)"><span[^>]*></span><strong>(.*?)</strong>(?: <small>(.*?)</small>)?</p>`)
	for _, m := range line.FindAllStringSubmatch(part, -1) {
		lines = append(lines, html.UnescapeString(strings.TrimSuffix(strings.Join(m[1:], " | "), " | ")))
	}
	return lines
}

// TestStatusHealth checks that the page has a line for each problem, and "All well" only
// without any.
func TestStatusHealth(t *testing.T) {
	began := time.Date(2026, 5, 4, 2, 51, 7, 0, time.UTC)
	roots := func(stats ...upstream.RootStats) func(o *operator) {
		return func(o *operator) {
			o.metrics.Watch(telemetry.Sources{Cache: o.cache, Upstreams: func() []upstream.RootStats { return stats }})
		}
	}
	down := func(root string, state upstream.BreakerState, calls int, since time.Time) upstream.RootStats {
		return upstream.RootStats{Root: root, State: state,
			Outage: upstream.Outage{Since: since, Calls: calls, Cause: "connection refused"}}
	}
	broken := func(failing, total int) func(o *operator) {
		return func(o *operator) {
			for i := range total {
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
		"healthy": {broken(0, 3), []string{"good | All well"}},
		"idle":    {func(*operator) {}, []string{"good | All well"}},
		"rejected": {func(o *operator) { o.state.Reloaded(errors.New("public_url: <b>bad</b>")) },
			[]string{"warn | Configuration rejected | on 4 May at 12:00 UTC, the previous one is in use: public_url: <b>bad</b>"}},
		"breaker open": {roots(down("de", upstream.Open, 9, began)),
			[]string{"bad | Site in de down since 02:51 UTC: connection refused | Readers get stored answers."}},
		"site down": {
			roots(down("en", upstream.Open, 9, began.Add(time.Minute)), down("es", upstream.HalfOpen, 4, began),
				down("de", upstream.Closed, 3, began), down("fr", upstream.Open, 8, began)),
			[]string{"bad | Site down since 02:51 UTC: connection refused | Readers get stored answers."},
		},
		"refused writes": {func(o *operator) {
			de := down("de", upstream.Open, 9, began)
			fr := down("fr", upstream.Open, 9, began)
			de.RefusedWrites = 1
			fr.RefusedWrites = 1233
			roots(de, fr)(o)
		}, []string{"bad | Site in de, fr down since 02:51 UTC: connection refused | Readers get stored answers, 1,234 writes were " +
			"refused."}},
		"a refused write": {func(o *operator) {
			de := down("de", upstream.Open, 9, began)
			de.RefusedWrites = 1
			roots(de)(o)
		}, []string{"bad | Site in de down since 02:51 UTC: connection refused | Readers get stored answers, 1 write was refused."}},
		"since yesterday": {roots(down("de", upstream.Open, 9, began.AddDate(0, 0, -1))),
			[]string{"bad | Site in de down since 3 May 02:51 UTC: connection refused | Readers get stored answers."}},
		"two causes": {
			roots(down("en", upstream.Open, 9, began), upstream.RootStats{Root: "fr", NamespaceMissing: true},
				down("es", upstream.Closed, 1, began)),
			[]string{
				"bad | Site in en down since 02:51 UTC: connection refused | Readers get stored answers.",
				"bad | Site in fr without its calendar plugin: the last calls found no route",
				"warn | Site in es failed its last call: connection refused",
			},
		},
		"too many fail": {roots(upstream.RootStats{Root: "de", State: upstream.Open}),
			[]string{"bad | Site in de down: too many calls fail"}},
		"a cache of the site": {roots(upstream.RootStats{Root: "de", Calls: 1, Stored: "Age: 120"}),
			[]string{"warn | Site in de answers REST reads from a cache: exclude /wp-json/ from it (Age: 120)"}},
		"errors":     {broken(2, 9), []string{"bad | Server errors | 2 of 9 responses of the last minute"}},
		"few errors": {broken(1, 30), []string{"warn | Server errors | 1 of 30 responses of the last minute"}},
		"read-only": {func(o *operator) {
			o.request("/status/do", url.Values{"do": {"read-only"}})
		}, []string{"warn | Writes are refused"}},
		"differences": {func(o *operator) { o.count(51, 0) },
			[]string{"warn | Responses of next differ | 100 % (51 of 51), reads of events in en; reads of venues in es"}},
		"failures": {func(o *operator) { o.count(0, 3) },
			[]string{"warn | Responses of next fail | 30 % (3 of 10), reads of events in en"}},
		"two problems": {func(o *operator) {
			o.state.Reloaded(errors.New("late"))
			roots(down("de", upstream.Open, 9, began))(o)
		}, []string{
			"bad | Site in de down since 02:51 UTC: connection refused | Readers get stored answers.",
			"warn | Configuration rejected | on 4 May at 12:00 UTC, the previous one is in use: late",
		}},
		"accepted again": {func(o *operator) {
			o.state.Reloaded(errors.New("late"))
			o.state.Reloaded(nil)
		}, []string{"good | All well"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := newStagingOperator(t)
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

// count counts compared responses that differ, and responses to clients, with some failures.
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

// TestStatusShortens checks that a long reason does not fill the page.
func TestStatusShortens(t *testing.T) {
	o := newOperator(t)
	o.state.Reloaded(errors.New(strings.Repeat("ä", 10_000)))
	o.signIn()
	if n := strings.Count(o.page(), "ä"); n != 1000 {
		t.Errorf("%d characters", n)
	}
}

// TestHealthOfPendingPurges: the page says that a restart loses purges that Redis has not taken.
func TestHealthOfPendingPurges(t *testing.T) {
	o := newOperator(t)
	redis, err := redisstore.Open(redisstore.Options{URLs: []string{"redis://127.0.0.1:1"}})
	redistest.Closing(t, redis, err)
	pending := cache.New(cache.Options{Shared: redis})
	t.Cleanup(pending.Close)
	o.signIn()
	o.metrics.Watch(telemetry.Sources{Cache: pending, Redis: redis, Upstreams: o.facade.Upstreams})
	const loss = "A restart before Redis takes them loses them."
	loses := func() bool {
		return slices.ContainsFunc(o.healthLines(), func(line string) bool { return strings.HasSuffix(line, loss) })
	}
	testwait.Until(t, "Redis is down", func() bool { return redis.ReadLog() != nil && !redis.Up() })
	if loses() {
		t.Error("without a purge")
	}
	if pending.Purge(t.Context(), cache.Purge{Tags: []string{"a"}}) || !loses() {
		t.Errorf("with a purge that Redis has not taken: %q", o.healthLines())
	}
}
