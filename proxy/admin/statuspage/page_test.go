package statuspage_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/admin/statuspage"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

func TestStatusShows(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	o.state.Sample()
	for _, id := range []string{"12", "12", "12", "13"} {
		o.get("/en/wp-json/calendar/events/v1/events/" + id)
	}
	o.upstream = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	o.get("/es/wp-json/calendar/events/v1/venues/5")
	o.cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:12"}, From: "write"})
	o.now = o.now.Add(5 * time.Second)
	o.state.Sample()
	page := o.page()
	for _, want := range []string{
		"Version v1",
		`aria-label="Requests per second over the last minutes: 1.0/s at last`,
		`aria-label="Responses with 5xx per second over the last minutes: 0.2/s at last`,
		`aria-label="Hit ratio over the last minutes: 50 % at last`,
		`aria-label="Requests in en per second over the last minutes: 0.8/s at last`,
		`aria-label="Requests in de per second over the last minutes: 0/s at last`,
		"Site, es: failing", "every call of the last minute", "calls in the last minute: 2",
		`<th scope="row">events.read</th>`, "<td>a write</td><td>hard</td><td class=\"text\">events:12</td>",
		"token: &#39;***&#39;", "Circuit breaker closed", "None: this instance caches in memory alone.", "Europe/Madrid",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

// TestStatusChartAxes: charts have times, and the value of their upper edge.
func TestStatusChartAxes(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	o.state.Sample()
	for range 20 {
		o.get("/en/wp-json/calendar/events/v1/events/12")
	}
	o.now = o.now.Add(5 * time.Second)
	o.state.Sample()
	page := o.page()
	for _, want := range []string{
		`<p class="top" aria-hidden="true">4.0/s</p>`,
		`<p class="axis" aria-hidden="true"><span>11:50</span><span>11:55</span><span>12:00</span></p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestStatusPercentiles: response times are percentiles, of all requests and of each
// endpoint.
func TestStatusPercentiles(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	o.state.Sample()
	o.get("/en/wp-json/calendar/events/v1/events/12")
	o.now = o.now.Add(5 * time.Second)
	o.state.Sample()
	const ms = `[\d.]+ ms`
	for _, want := range []string{
		`<h3>Response time, p95</h3><p class="value">` + ms + `</p>`, `<p class="note">p50 ` + ms + `, p99 ` + ms + `</p>`,
		`<th scope="row">events.read</th>.*<td>` + ms + `</td><td>` + ms + `</td><td>` + ms + `</td></tr>`,
	} {
		if page := o.page(); !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}

// TestStatusRecords: the page has the last errors and warnings of the log, each once.
func TestStatusRecords(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	if page := o.page(); !strings.Contains(page, "None since start.") {
		t.Errorf("a record before there was any: %s", page)
	}
	o.options.Log.Info("all is well")
	o.options.Log.Warn("slow", zap.Int("n", 1))
	o.options.Log.With(zap.String("site", "<b>")).Error("down", zap.String("why", strings.Repeat("x", 400)))
	o.options.Log.Warn("slow", zap.Int("n", 2))
	table := regexp.MustCompile(`(?s)<table id="records".*?</table>`)
	got := table.FindString(o.page())
	for _, want := range []string{`<strong>warning</strong></td><td>2</td><td class="text">slow<br><small>n: 2</small>`, `<strong>error</strong></td><td>1</td><td class="text">down<br><small>site: &lt;b&gt;, why: xxx`, "x…</small>"} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks %s:\n%s", want, got)
		}
	}
	if strings.Index(got, "slow") > strings.Index(got, "down") || strings.Contains(got, "all is well") {
		t.Errorf("not the newest first, or with a record below warning:\n%s", got)
	}
	for i := range 100 {
		o.options.Log.Warn("number " + strconv.Itoa(i))
	}
	if got := table.FindString(o.page()); strings.Count(got, "number") != 20 || !strings.Contains(got, "number 99") {
		t.Errorf("not the last 20:\n%s", got)
	}
}

// TestStatusPurgesAreFew: the page lists the last purges, and the earlier ones folded.
func TestStatusPurgesAreFew(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	for i := range 12 {
		o.cache.Purge(t.Context(), cache.Purge{Tags: []string{"events:" + strconv.Itoa(i)}, From: "http"})
	}
	page := o.page()
	last, earlier, _ := strings.Cut(page[strings.Index(page, `id="purges"`):], `id="earlier"`)
	if n, m := strings.Count(last, "events:"), strings.Count(earlier, "events:"); n != 5 || m != 7 || !strings.Contains(earlier, "<summary>7 earlier</summary>") {
		t.Errorf("%d purges, and %d folded", n, m)
	}
	if strings.Index(page, `id="actions-title"`) > strings.Index(page, `id="purges-title"`) {
		t.Error("the actions are below the purges")
	}
}

// TestStatusHistoryIsBounded: the charts show a bounded time.
func TestStatusHistoryIsBounded(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	o.state.Sample()
	o.get("/en/wp-json/calendar/events/v1/events/12")
	rows := regexp.MustCompile(`<th scope="row">events.read</th>.*?</td><td>(\d+)</td><td>(\d+)</td>`)
	for _, test := range []struct {
		samples int
		want    []string
	}{{119, []string{"1", "1"}}, {1, []string{"0", "1"}}} {
		for range test.samples {
			o.now = o.now.Add(5 * time.Second)
			o.state.Sample()
		}
		if got := rows.FindStringSubmatch(o.page()); got == nil || got[1] != test.want[0] || got[2] != test.want[1] {
			t.Errorf("after %d samples: %q, want %q", test.samples, got, test.want)
		}
	}
}

func TestStatusActions(t *testing.T) {
	for _, test := range []struct{ query, asks, logged string }{
		{"do=purge-all", "Purge everything?", `"from":"page","all":true,"soft":false`},
		{"do=purge-all&soft=on", "still be served as stale", `"from":"page","all":true,"soft":true`},
		{"do=purge-tags&tags=es:events,++en:events:12", "<code>events:12</code>", `"soft":false,"tags":2,"first":["es:events","events:12"]`},
		{"do=read-only", "Refuse writes?", `"to":"read-only"`},
	} {
		o := newOperator(t)
		_, form := o.signIn()
		confirm := o.request("/status/confirm?"+test.query, nil)
		if confirm.Code != http.StatusOK || !strings.Contains(confirm.Body.String(), test.asks) || strings.Contains(o.log.String(), `"from":"page"`) || o.facade.ReadOnly() {
			t.Fatalf("%s: %d %s %s", test.query, confirm.Code, confirm.Body, o.log.String())
		}
		w := o.request("/status/do", hidden(confirm.Body.String()))
		if w.Code != http.StatusSeeOther || !strings.Contains(o.log.String(), test.logged) {
			t.Errorf("%s: %d, logged %s", test.query, w.Code, o.log.String())
		}
		if page := o.request("/status/"+strings.TrimPrefix(w.Header().Get("Location"), "./"), nil).Body.String(); !strings.Contains(page, `class="notice"`) {
			t.Errorf("%s: the page has no notice", test.query)
		}
		if form == "" || hidden(confirm.Body.String()).Get("form") != form {
			t.Errorf("%s: the forms of a session have two tokens", test.query)
		}
	}
}

// hidden returns the fields of a page's form.
func hidden(page string) url.Values {
	fields := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		fields.Set(m[1], m[2])
	}
	return fields
}

// TestStatusSwitches: writes are refused, and accepted again.
func TestStatusSwitches(t *testing.T) {
	o := newOperator(t)
	_, form := o.signIn()
	for _, test := range []struct {
		do, page string
		want     bool
	}{{"read-only", "Writes are refused by this instance", true}, {"read-write", "Writes are accepted by this instance", false}} {
		if w := o.request("/status/do", url.Values{"do": {test.do}, "form": {form}}); w.Code != http.StatusSeeOther || o.facade.ReadOnly() != test.want {
			t.Errorf("%s: %d, read-only is %t", test.do, w.Code, o.facade.ReadOnly())
		}
		if page := o.page(); !strings.Contains(page, test.page) {
			t.Errorf("%s: the page lacks %s", test.do, test.page)
		}
	}
}

// TestStatusHeader checks the fields that restrict a browser, on every response with a
// body.
func TestStatusHeader(t *testing.T) {
	o := newOperator(t)
	for path, kind := range map[string]string{
		"/status/sign-in": "text/html; charset=utf-8", "/status/page.css": "text/css; charset=utf-8", "/status/palette.css": "text/css; charset=utf-8",
		"/status/page.js": "text/javascript; charset=utf-8", "/status/icon.svg": "image/svg+xml",
	} {
		w := o.request(path, nil)
		h := w.Header()
		policy := h.Get("Content-Security-Policy")
		if w.Code != http.StatusOK || h.Get("Content-Type") != kind || h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
	}
	for _, path := range []string{"/status/page.html", "/status/..%2fstatus.go", "/status/nothing.css"} {
		if w := o.request(path, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestStatusSamples: Run takes samples until it is stopped.
func TestStatusSamples(t *testing.T) {
	metrics := telemetry.NewMetrics("v1")
	end, done := make(chan struct{}), make(chan struct{})
	status := statuspage.NewState(statuspage.StateOptions{Metrics: metrics, Every: time.Hour})
	go func() {
		status.Run(end)
		close(done)
	}()
	close(end)
	<-done
	a := admin.New(admin.Options{})
	statuspage.Mount(a, statuspage.Options{State: status})
	r := httptest.NewRequest(http.MethodGet, "http://localhost/status/", nil)
	r.RemoteAddr = "127.0.0.1:9"
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Body)
	if w.Code != http.StatusOK || !bytes.Contains(body, []byte("No request yet.")) {
		t.Errorf("%d %s", w.Code, body)
	}
}
