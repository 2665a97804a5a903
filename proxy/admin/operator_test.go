package admin_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// operator uses the status page as a browser without scripts. Behind the page is a
// facade before a site that responds to all calls with the same event.
type operator struct {
	*testing.T
	facade   *proxy.Facade
	metrics  *telemetry.Metrics
	cache    *cache.Cache
	site     i18n.Languages
	upstream http.HandlerFunc // nil: the default response

	state   *admin.PageState
	options options
	now     time.Time
	log     bytes.Buffer

	remote, host, cookie string
}

func newOperator(t *testing.T) *operator {
	o := &operator{T: t, metrics: telemetry.NewMetrics("v1"), now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
		remote: "127.0.0.1:4000", host: "localhost:9090"}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.upstream != nil {
			o.upstream(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		id := cmp.Or(strings.Trim(path.Base(r.URL.Path), "abcdefghijklmnopqrstuvwxyz-"), "12")
		proxytest.WriteItem(w, `{"id":%s,"title":"Harbour Lights","events":[],"total":0,"total_pages":0}`, id)
	}))
	t.Cleanup(legacy.Close)
	for _, code := range i18n.Codes {
		root := "/" + code + "/wp-json"
		o.site = append(o.site, i18n.Language{Code: code, Root: root, Upstream: legacy.URL + root})
	}
	o.cache = cache.New(cache.Options{Purged: func(p cache.Purged) { o.state.Purged(p) }})
	t.Cleanup(o.cache.Close)
	o.facade = o.newFacade(proxy.Options{})
	o.metrics.Watch(telemetry.Sources{Cache: o.cache, Upstreams: o.facade.Upstreams})
	clock := func() time.Time { return o.now }
	o.state = admin.NewPageState(admin.PageStateOptions{Metrics: o.metrics, Clock: clock})
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&o.log), zap.DebugLevel))
	log = o.state.Log(log)
	o.options.Options = admin.Options{
		Token: adminToken, Site: o.site, Cache: o.cache, Metrics: o.metrics, Log: log, Client: edge.Trust{}.Client,
		Secrets: edge.NewSecrets(log, clock),
	}
	return o
}

// newFacade makes a facade with the operator's site, cache and metrics.
func (o *operator) newFacade(options proxy.Options) *proxy.Facade {
	options.PublicURL = "https://api.example.org"
	options.Freshness.TTL = map[string]time.Duration{"events": time.Hour}
	options.Site = o.site
	options.Cache = o.cache
	options.Metrics = o.metrics
	return proxy.New(options)
}

// get sends a request for a path to the facade.
func (o *operator) get(path string) {
	o.facade.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
}

// admin makes the admin interface with its page.
func (o *operator) admin() *admin.Admin {
	options := o.options
	options.Page = o.state
	options.Switch = o.facade
	options.Config = "admin:\n    token: '***'\n"
	return newAdmin(options)
}

// options are the options of an admin interface, and the parts of its migration.
type options struct {
	admin.Options
	Staging  *staging.Matrix
	Fleet    *fleet.Fleet
	Findings *compare.Findings
}

// newAdmin makes an admin interface with what every process has, as far as the options lack it.
func newAdmin(o options) *admin.Admin {
	if o.Staging == nil {
		o.Staging = staging.NewMatrix(time.Now, nil)
	}
	if o.Fleet == nil {
		o.Fleet = fleet.New(fleet.Options{Matrix: o.Staging})
	}
	if o.Findings == nil {
		o.Findings = new(compare.Findings)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Migration = &control.Control{Matrix: o.Staging, Fleet: o.Fleet, Findings: o.Findings, Token: o.Token, Log: o.Log}
	if o.Onward == nil {
		o.Onward = onward.New(nil)
	}
	if o.Metrics == nil {
		o.Metrics = telemetry.NewMetrics("")
	}
	if o.Page == nil {
		o.Page = admin.NewPageState(admin.PageStateOptions{Metrics: o.Metrics})
	}
	o.Zone = func(string) *time.Location { return time.FixedZone("Europe/Madrid", 3600) }
	return admin.New(o.Options)
}

// request sends a form, or gets the page if form is nil.
func (o *operator) request(path string, form url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	o.Helper()
	r := httptest.NewRequestWithContext(o.Context(), http.MethodGet, path, nil)
	if form != nil {
		r = httptest.NewRequestWithContext(o.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.RemoteAddr = o.remote
	r.Host = o.host
	if o.cookie != "" {
		r.Header.Set("Cookie", o.cookie)
	}
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	o.admin().ServeHTTP(w, r)
	if text := w.Body.String() + fmt.Sprint(w.Header()) + o.log.String(); strings.Contains(text, adminToken) {
		o.Errorf("%s: the token is shown: %s", path, text)
	}
	return w
}

// signIn begins a session, and returns its cookie.
func (o *operator) signIn() *http.Cookie {
	o.Helper()
	w := o.request("/status/sign-in", url.Values{"token": {adminToken}})
	if w.Code != http.StatusSeeOther || len(w.Result().Cookies()) != 1 {
		o.Fatalf("signing in: %d %v", w.Code, w.Header())
	}
	cookie := w.Result().Cookies()[0]
	o.cookie = cookie.Name + "=" + cookie.Value
	return cookie
}

func (o *operator) page() string {
	o.Helper()
	w := o.request("/status/", nil)
	if w.Code != http.StatusOK {
		o.Fatalf("the page: %d %v %s", w.Code, w.Header(), w.Body)
	}
	return w.Body.String()
}
