//go:build !race

package watching_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// fault is something that an operator must notice, and where. In metric and alert, SELF is the
// matcher of the instance.
type fault struct {
	config string // of the configuration
	cause  func(*testing.T, processtest.Serving, *switchedSite)

	log, page, metric, alert string
}

var visibleFaults = map[string]fault{
	"redis down": {
		config: "cache: {redis: 'REDIS'}",
		cause:  func(t *testing.T, _ processtest.Serving, site *switchedSite) { site.signalRedis(t, syscall.SIGSTOP) },
		log:    `"msg":"redis is down, the instance serves from memory and from the site","error":"`,
		page:   "<strong>Redis down</strong>",
		metric: `calfacade_redis_up{SELF} == 0`,
		alert:  `ALERTS{alertname="CalfacadeRedisDown", alertstate="firing", SELF}`,
	},
	"decisions unknown": {
		config: "cache: {redis: 'REDIS'}\nstaging: {candidate: next}\n" +
			"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: 'CANDIDATE/wp-json'}}]",
		cause:  func(t *testing.T, _ processtest.Serving, site *switchedSite) { site.signalRedis(t, syscall.SIGSTOP) },
		log:    `"msg":"redis is down, the instance serves from memory and from the site","error":"`,
		page:   "<strong>Writes are refused</strong> <small>Redis does not answer: ",
		metric: `calfacade_decisions_known{SELF} == 0`,
		alert:  `ALERTS{alertname="CalfacadeDecisionsUnknown", alertstate="firing", SELF}`,
	},
	"reload refused": {
		cause: func(_ *testing.T, s processtest.Serving, _ *switchedSite) {
			s.Edit("public_url: https", "public_url: ftp")
			s.HangUp()
		},
		log:    `"msg":"configuration rejected, the previous one stays in use","error":"public_url: `,
		page:   "<strong>Configuration rejected</strong>",
		metric: `calfacade_config_last_reload_successful{SELF} == 0`,
		alert:  `ALERTS{alertname="CalfacadeConfigRejected", alertstate="firing", SELF}`,
	},
	"site down": {
		cause: func(_ *testing.T, _ processtest.Serving, site *switchedSite) { site.state.Store(siteHangsUp) },
		log:   `"msg":"site is down","root":"en","reason":"`,
		page:  "<strong>Site down since ",
		metric: `increase(calfacade_upstream_calls_total{error="broken", SELF}[1m]) > 0 and on(instance) ` +
			`calfacade_upstream_breaker_open{SELF} > 0`,
		alert: `ALERTS{alertname="CalfacadeUpstreamDown", alertstate="firing", SELF}`,
	},
	"plugin gone": {
		cause:  func(_ *testing.T, _ processtest.Serving, site *switchedSite) { site.state.Store(siteWithoutPlugin) },
		log:    `"msg":"the site has no route for any call: is its calendar plugin active\?","root":"en"`,
		page:   "<strong>Site without its calendar plugin: ",
		metric: `calfacade_upstream_namespace_missing{SELF} == 1`,
		alert:  `ALERTS{alertname="CalfacadePluginMissing", alertstate="firing", SELF}`,
	},
	"certificate ends": {
		config: "tls: {cert_file: 'CERT', key_file: 'KEY'}",
		cause: func(t *testing.T, s processtest.Serving, site *switchedSite) {
			processtest.WriteCertificate(t, site.tls, 2, time.Now().Add(24*time.Hour))
			s.HangUp()
		},
		log:    `"level":"warn".*"msg":"certificate","problem":"tls.cert_file: the certificate ends on `,
		page:   "<strong>The certificate ends soon</strong>",
		metric: `calfacade_tls_certificate_not_after_timestamp_seconds{SELF} - time() < 2 * 86400`,
		alert:  `ALERTS{alertname="CalfacadeCertificateEnds", alertstate="firing", SELF}`,
	},
	"answers differ": {
		config: "staging: {candidate: next, rules: [{state: shadow}]}\n" +
			"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: 'CANDIDATE/wp-json'}}]",
		cause:  func(_ *testing.T, _ processtest.Serving, site *switchedSite) { site.state.Store(siteDiffers) },
		log:    `"msg":"a response of the candidate differs","backend":"next","endpoint":"events.list","language":"en"`,
		page:   "<strong>Responses of next differ</strong>",
		metric: `increase(calfacade_staging_compared_total{result="different", SELF}[1m]) > 0`,
		alert:  `ALERTS{alertname="CalfacadeCandidateFails", alertstate="firing", SELF}`,
	},
}

// TestFaultsAreVisible causes faults, each in a facade of its own, under load: within a minute
// the log, the status page, a metric and an alert show it. Before, all is well.
func TestFaultsAreVisible(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	processtest.PrometheusTool(t, "prometheus")
	t.Parallel()
	var servings []processtest.Serving
	sites := map[string]*switchedSite{}
	facades := map[string]processtest.Serving{}
	for name, f := range visibleFaults {
		site := newSwitchedSite(t)
		f.config = site.fill(t, f.config)
		if strings.Contains(f.config, "REDIS") {
			continue // there is no Redis to stop
		}
		sites[name] = site
		facades[name] = processtest.StartServe(t, processtest.Build(t), site.url, f.config)
		servings = append(servings, facades[name])
	}
	m := startMonitor(t, servings...)
	for name, s := range facades {
		t.Cleanup(s.Visit())
		m.eventually(name+": there are samples", `count_over_time(calfacade_upstream_calls_total{status="2xx", root="en", `+
			asInstance(s)+`}[10s]) > 4`)
		if page := s.StatusPage(); !strings.Contains(page, "All well") {
			t.Errorf("%s: before the fault: %s", name, page)
		}
	}
	if firing, err := m.query(`ALERTS{alertstate="firing"}`); err != nil || len(firing) > 0 {
		t.Errorf("before the faults: %v %v", firing, err)
	}
	began := time.Now() // the faults last while one after the other is checked
	for name, s := range facades {
		visibleFaults[name].cause(t, s, sites[name])
	}
	for _, place := range []struct {
		name string
		wait func(fault, processtest.Serving, monitor, time.Duration)
	}{{"log", fault.awaitLog}, {"page", fault.awaitPage}, {"metric", fault.awaitMetric}, {"alert", fault.awaitAlert}} {
		for name, s := range facades {
			place.wait(visibleFaults[name], s, m, time.Minute-time.Since(began))
			t.Logf("%s: %s after at most %.1f s", name, place.name, time.Since(began).Seconds())
		}
	}
	if site := sites["redis down"]; site != nil {
		site.signalRedis(t, syscall.SIGCONT)
		facades["redis down"].Expect(`"msg":"redis is back","after":"`)
	}
}

func (f fault) awaitLog(s processtest.Serving, _ monitor, _ time.Duration) {
	s.Helper()
	s.Expect(f.log)
}

func (f fault) awaitPage(s processtest.Serving, _ monitor, _ time.Duration) {
	s.Helper()
	page := regexp.MustCompile(f.page)
	s.Eventually("the page has "+f.page, func() bool { return page.MatchString(s.StatusPage()) })
	if strings.Contains(s.StatusPage(), "All well") {
		s.Error("the page has All well too")
	}
}

func (f fault) awaitMetric(s processtest.Serving, m monitor, limit time.Duration) {
	s.Helper()
	m.within(limit, "the metric", strings.ReplaceAll(f.metric, "SELF", asInstance(s)))
}

func (f fault) awaitAlert(s processtest.Serving, m monitor, limit time.Duration) {
	s.Helper()
	m.within(limit, "the alert", strings.ReplaceAll(f.alert, "SELF", asInstance(s)))
}

// asInstance is the matcher of an instance in a query.
func asInstance(s processtest.Serving) string {
	return fmt.Sprintf("instance=%q", strings.TrimPrefix(s.Admin, "http://"))
}

// The states of a switchedSite.
const (
	siteHealthy int32 = iota
	siteHangsUp
	siteWithoutPlugin
	siteDiffers // as seen by the address of the candidate
)

// switchedSite is a stand-in with a fault that can be switched on, and with a second address
// for the same site.
type switchedSite struct {
	state          atomic.Int32
	url, candidate string
	redis          *os.Process
	tls            config.TLS
}

func newSwitchedSite(t *testing.T) *switchedSite {
	s := new(switchedSite)
	stand := sim.New(sim.Options{})
	serve := func(candidate bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			state := s.state.Load()
			switch {
			case state == siteHangsUp:
				panic(http.ErrAbortHandler)
			case state == siteWithoutPlugin:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"code":"rest_no_route","message":"Text of the site.","data":{"status":404}}`)
			case state == siteDiffers && candidate:
				got := httptest.NewRecorder()
				stand.ServeHTTP(got, r)
				for _, name := range []string{"Content-Type", "X-Wp-Total", "X-Wp-Totalpages"} {
					w.Header()[name] = got.Header()[name]
				}
				_, _ = io.WriteString(w, strings.NewReplacer(`"title":"`, `"title":"Another `, `"slug":"`,
					`"slug":"another-`).Replace(got.Body.String()))
			default:
				stand.ServeHTTP(w, r)
			}
		}
	}
	s.url = processtest.Serve(t, serve(false))
	s.candidate = processtest.Serve(t, serve(true))
	return s
}

// fill inserts the addresses and files of a configuration. Without a redis-server REDIS stays.
func (s *switchedSite) fill(t *testing.T, extra string) string {
	s.tls = processtest.TLSFiles(t)
	processtest.WriteCertificate(t, s.tls, 1, time.Now().AddDate(1, 0, 0))
	extra = strings.NewReplacer("CANDIDATE", s.candidate, "CERT", s.tls.CertFile, "KEY", s.tls.KeyFile).Replace(extra)
	if strings.Contains(extra, "REDIS") {
		if server, url := processtest.StartRedis(t); server != nil {
			s.redis = server
			extra = strings.ReplaceAll(extra, "REDIS", url)
		}
	}
	return extra
}

func (s *switchedSite) signalRedis(t *testing.T, signal syscall.Signal) {
	t.Helper()
	testwait.Signal(t, s.redis, signal)
}
