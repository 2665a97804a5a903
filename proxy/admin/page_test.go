package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
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
		`aria-label="Requests in the last hour: 1.0/s at last, 1.0/s at most"`,
		`aria-label="Served from the cache in the last hour: 50 % at last, 50 % at most"`,
		`aria-label="Time to answer in the last hour: `,
		"Site in es failed its last call: status 500", "1 of 5 responses of the last minute",
		`<span lang="es">Español</span> <code>/es/wp-json</code>`,
		`<li><p>events:12</p><p class="when">by a write, <time datetime="`,
		"token: &#39;***&#39;", "None: this instance caches in memory alone.", "Europe/Madrid",
		"<dt>Cached responses</dt><dd>2</dd>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

// TestStatusCharts: charts have times, the highest value and bars, with heights that are shares of it.
func TestStatusCharts(t *testing.T) {
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
		`<p class="axis" aria-hidden="true"><span>11:00</span><span>highest 4.0/s</span><span>12:00</span></p>`,
		`<path class="bars" d="M239.5 40V0.0"/>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestStatusChartsOfLittle: the highest value of a chart is a value that was there, and no mark of its scale.
func TestStatusChartsOfLittle(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	o.state.Sample()
	for id := range 12 {
		o.get(fmt.Sprint("/en/wp-json/calendar/events/v1/events/", 100+id)) // no such item is in the cache
	}
	o.now = o.now.Add(time.Minute)
	o.state.Sample()
	page := o.page()
	for _, want := range []string{"<span>highest 0.2/s</span>", "<span>highest 0 %</span>", "0 % at last, 0 % at most"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	fresh := newOperator(t)
	fresh.signIn()
	if page := fresh.page(); !strings.Contains(page, "<span>highest –</span>") {
		t.Errorf("a chart without a sample has a highest value: %s", page)
	}
}

// TestStatusLandmarks: no two landmarks of a page have the same name.
func TestStatusLandmarks(t *testing.T) {
	o := newStagingOperator(t)
	o.signIn()
	o.fill()
	landmark := regexp.MustCompile(`<(?:section|nav|div)[^>]*\b(aria-label(?:ledby)?="[^"]*")[^>]*>`)
	for name, page := range map[string]string{"overview": o.page(), "staging": o.stagingPage()} {
		ids := map[string]bool{}
		for _, m := range landmark.FindAllStringSubmatch(page, -1) {
			if strings.HasPrefix(m[0], "<div") && !strings.Contains(m[0], `role="region"`) {
				continue
			}
			if ids[m[1]] {
				t.Errorf("%s: two landmarks have %s", name, m[1])
			}
			ids[m[1]] = true
		}
		if len(ids) < 4 {
			t.Errorf("%s: only the landmarks %v", name, ids)
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
	list := regexp.MustCompile(`(?s)<ul class="rows" id="records".*?</ul>`)
	got := list.FindString(o.page())
	for _, want := range []string{
		`<strong>slow</strong> <small>n: 2</small></p><p class="when">warn, 2 times, <time`,
		`<strong>down</strong> <small>site: &lt;b&gt;, why: xxx`, `x…</small></p><p class="when">error, <time`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the list lacks %s:\n%s", want, got)
		}
	}
	if strings.Index(got, "slow") > strings.Index(got, "down") || strings.Contains(got, "all is well") {
		t.Errorf("not the newest first, or with a record below warning:\n%s", got)
	}
	for i := range 100 {
		o.options.Log.Warn("number " + strconv.Itoa(i))
	}
	if got := list.FindString(o.page()); strings.Count(got, "number") != 20 || !strings.Contains(got, "number 99") {
		t.Errorf("not the last 20:\n%s", got)
	}
}

// TestStatusPurgesAreFew: the page shows a few tags of each of the last purges.
func TestStatusPurgesAreFew(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	var tags []string
	for i := range 60 {
		tags = append(tags, "events:"+strconv.Itoa(i))
		o.cache.Purge(t.Context(), cache.Purge{Tags: tags, Soft: true, From: "http"})
	}
	page := o.page()
	list := page[strings.Index(page, `id="purges"`):]
	list = list[:strings.Index(list, "</ul>")]
	if n := strings.Count(list, "<li>"); n != 50 || !strings.Contains(list, "events:4 and 55 more</p>") ||
		strings.Contains(list, "events:5,") || !strings.Contains(list, "by HTTP, soft, ") {
		t.Errorf("%d purges: %s", n, list)
	}
}

// TestStatusHistoryIsBounded: the charts show an hour.
func TestStatusHistoryIsBounded(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	for range 300 {
		o.get("/en/wp-json/calendar/events/v1/events/12")
		o.now = o.now.Add(15 * time.Second)
		o.state.Sample()
	}
	bars := regexp.MustCompile(`d="(M0\.5 [^"]*)"`).FindStringSubmatch(o.page())
	if bars == nil || strings.Count(bars[1], "M") != 240 {
		t.Errorf("bars: %q", bars)
	}
}

func TestStatusActions(t *testing.T) {
	for _, test := range []struct{ query, asks, logged string }{
		{"do=purge-all", "Purge everything?", `"from":"page","all":true,"soft":false`},
		{"do=purge-all&soft=on", "still be served as stale", `"from":"page","all":true,"soft":true`},
		{"do=purge-item&kind=venue&item=+7+", "<code>venues:7</code>", `"from":"page","all":false,"soft":false`},
		{"do=purge-item&kind=event&item=https://api.example.org/es/wp-json/calendar/events/v1/venues/7/?x", "<code>venues:7</code>",
			`"from":"page"`},
		{"do=read-only", "Refuse writes?", `"to":"read-only"`},
	} {
		o := newOperator(t)
		o.signIn()
		confirm := o.request("/status/confirm?"+test.query, nil)
		if confirm.Code != http.StatusOK || !strings.Contains(confirm.Body.String(), test.asks) ||
			strings.Contains(o.log.String(), `"from":"page"`) || o.facade.ReadOnly() {
			t.Fatalf("%s: %d %s %s", test.query, confirm.Code, confirm.Body, o.log.String())
		}
		w := o.request("/status/do", hidden(confirm.Body.String()))
		if w.Code != http.StatusSeeOther || !strings.Contains(o.log.String(), test.logged) {
			t.Errorf("%s: %d, logged %s", test.query, w.Code, o.log.String())
		}
		if page := o.request("/status/"+strings.TrimPrefix(w.Header().Get("Location"), "./"),
			nil).Body.String(); !strings.Contains(page, `class="notice"`) {
			t.Errorf("%s: the page has no notice", test.query)
		}
	}
}

// unsharedCache is a cache with purges that Redis does not take.
type unsharedCache struct{}

func (unsharedCache) Purge(context.Context, cache.Purge) bool { return false }

// TestStatusPurgePending: the page says that other instances do not know a purge.
func TestStatusPurgePending(t *testing.T) {
	o := newOperator(t)
	o.options.Cache = unsharedCache{}
	o.signIn()
	w := o.request("/status/do", url.Values{"do": {"purge-all"}})
	page := o.request("/status/"+strings.TrimPrefix(w.Header().Get("Location"), "./"), nil).Body.String()
	if !strings.Contains(page, "Purged by this instance. Pending: the other instances, until Redis works again.") ||
		strings.Contains(page, "Everything was purged.") {
		t.Errorf("%v: %s", w.Header(), page)
	}
}

// hidden returns the fields of a page's form.
func hidden(page string) url.Values {
	fields := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		fields.Add(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// TestStatusSwitches: writes are refused, and accepted again.
func TestStatusSwitches(t *testing.T) {
	o := newOperator(t)
	o.signIn()
	for _, test := range []struct {
		do, page string
		want     bool
	}{{"read-only", "Writes are refused by this instance", true}, {"read-write", "Writes are accepted by this instance", false}} {
		if w := o.request("/status/do", url.Values{"do": {test.do}}); w.Code != http.StatusSeeOther ||
			o.facade.ReadOnly() != test.want {
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
		"/status/sign-in": "text/html; charset=utf-8", "/status/page.css": "text/css; charset=utf-8",
		"/status/palette.css": "text/css; charset=utf-8",
		"/status/page.js":     "text/javascript; charset=utf-8", "/status/icon.svg": "image/svg+xml",
	} {
		w := o.request(path, nil)
		h := w.Header()
		policy := h.Get("Content-Security-Policy")
		if w.Code != http.StatusOK || h.Get("Content-Type") != kind || h.Get("Cache-Control") != "no-store" ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
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
	end := make(chan struct{})
	done := make(chan struct{})
	status := admin.NewPageState(admin.PageStateOptions{Metrics: metrics, Every: time.Hour})
	go func() {
		status.Run(end)
		close(done)
	}()
	close(end)
	<-done
	o := newOperator(t)
	metrics.Watch(telemetry.Sources{Cache: o.cache, Upstreams: o.facade.Upstreams})
	a := newAdmin(options{Options: admin.Options{Page: status, Switch: o.facade}})
	r := httptest.NewRequest(http.MethodGet, "http://localhost/status/", nil)
	r.RemoteAddr = "127.0.0.1:9"
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Body)
	if w.Code != http.StatusOK || !bytes.Contains(body, []byte("None since start.")) {
		t.Errorf("%d %s", w.Code, body)
	}
}
