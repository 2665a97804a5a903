package lane_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/staging"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// ingress are the fields that proxies in front add: ingress-nginx, and Envoy with tracing.
const ingress = "X-Request-ID: 7f3a91c25d1e4b5e9f270c7f0e3d2a11\r\nX-Real-IP: 198.51.100.7\r\nX-Forwarded-For: 198.51.100.7\r\n" +
	"X-Forwarded-Host: api.example.org\r\n" +
	"X-Forwarded-Port: 443\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Scheme: https\r\nX-Scheme: https\r\nVia: 1.1 front\r\n" +
	"Forwarded: for=198.51.100.7;proto=https\r\n" +
	"X-Envoy-External-Address: 198.51.100.7\r\nX-Envoy-Expected-Rq-Timeout-Ms: 15000\r\ntraceparent: " + facadetest.Unsampled +
	"\r\ntracestate: shop=a\r\nbaggage: user=b\r\n" +
	"DNT: 1\r\nSec-Fetch-Mode: cors\r\nSec-CH-UA-Platform: \"Linux\"\r\nPriority: u=1, i\r\nCache-Control: no-cache\r\nPragma: " +
	"no-cache\r\nCookie: theme=dark; wordpress_test_cookie=WP\r\n" +
	"Content-Type: application/json\r\nContent-Encoding: identity\r\nTE: trailers"

// TestLaneServes: hits are in the lane with each of these fields, under each of these settings.
func TestLaneServes(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for name, change := range map[string]func(*proxy.Options, *http.Server){
		"as it is":      nil,
		"trusted proxy": func(o *proxy.Options, _ *http.Server) { o.Edge.Trust.Proxies = trusted },
		"cookies":       func(o *proxy.Options, _ *http.Server) { o.Cookies = true },
		"read limits":   func(o *proxy.Options, _ *http.Server) { o.Edge.Reads = someReads },
		"shared limits": func(o *proxy.Options, _ *http.Server) {
			o.Edge.Reads = someReads
			o.Edge.Shared = &fleetQuota{}
		},
		"tracing":   func(o *proxy.Options, _ *http.Server) { o.Tracer = sdk.NewTracerProvider().Tracer("") },
		"candidate": func(o *proxy.Options, _ *http.Server) { stage(o, facadetest.Everywhere(staging.Legacy)...) },
		"shadow":    func(o *proxy.Options, _ *http.Server) { stage(o, facadetest.Everywhere(staging.Shadow)...) },
		"canary":    func(o *proxy.Options, _ *http.Server) { stage(o, halfOf(staging.Clients)...) },
		"new":       func(o *proxy.Options, _ *http.Server) { stage(o, facadetest.Everywhere(staging.New)...) },
		"testers": func(o *proxy.Options, _ *http.Server) {
			stage(o, facadetest.Everywhere(staging.Legacy)...)
			facadetest.StagingOf(o).TesterToken = facadetest.TesterToken
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, change)
			c := s.Dial()
			fields := append(strings.Split(ingress, "\r\n"), ingress, "traceparent: "+facadetest.Sampled, "Cache-Control: max-age=0", "Accept: */*")
			if name != "cookies" {
				fields = append(fields, "X-WP-Nonce: a")
			}
			for _, field := range fields {
				handled := s.Handled.Load()
				if res, _ := c.Get(facadetest.LaneTargets[0], field); res.StatusCode != http.StatusOK || s.Handled.Load() != handled {
					t.Errorf("%s: not in the lane: %s", field, res.Status)
				}
			}
		})
	}
}

// TestLaneServesViews: the lane serves a view once that is stored, and net/http before, with the same response.
func TestLaneServesViews(t *testing.T) {
	for name, change := range map[string]func(*proxy.Options, *http.Server){
		"legacy": nil,
		"new":    func(o *proxy.Options, _ *http.Server) { stage(o, facadetest.Everywhere(staging.New)...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, change)
			c := s.Dial()
			path, _, _ := strings.Cut(facadetest.LaneTargets[0], "?")
			target := path + "?fields=title&texts=plain"
			handled := s.Handled.Load()
			first, body := c.Get(target)
			if s.Handled.Load() != handled+1 {
				t.Errorf("the first view is in the lane")
			}
			second, again := c.Get(target)
			if s.Handled.Load() != handled+1 {
				t.Errorf("a stored view is not in the lane: %s", second.Status)
			}
			if body != again || !strings.Contains(body, `"title"`) || strings.Contains(body, `"id"`) ||
				first.Header.Get("Etag") != second.Header.Get("Etag") {
				t.Errorf("%v %s, in the lane %v %s", first.Header, body, second.Header, again)
			}
		})
	}
}

// TestLaneLeaves: net/http serves hits with these fields, or under these settings.
func TestLaneLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		field  string
		change func(*proxy.Options, *http.Server)
	}{
		"credentials": {"Authorization: Basic YTpi", nil},
		"login":       {"Cookie: a=b; wordpress_logged_in_a=b", func(o *proxy.Options, _ *http.Server) { o.Cookies = true }},
		"two cookies": {"Cookie: a=b\r\nCookie: c=d", nil},
		"nonce":       {"X-WP-Nonce: a", func(o *proxy.Options, _ *http.Server) { o.Cookies = true }},
		"tester":      {"X-Calfacade-Tester: a", func(o *proxy.Options, _ *http.Server) { stage(o, facadetest.Everywhere(staging.Legacy)...) }},
		"tester's cookie": {"Cookie: a=b; calfacade-tester=c", func(o *proxy.Options, _ *http.Server) {
			stage(o, facadetest.Everywhere(staging.Legacy)...)
			facadetest.StagingOf(o).TesterToken = facadetest.TesterToken
		}},
		"two traces": {"traceparent: " + facadetest.Sampled + "\r\ntraceparent: " + facadetest.Unsampled, nil},
		"one origin": {"Origin: https://a.example",
			func(o *proxy.Options, _ *http.Server) { o.Edge.CORS.Origins = []string{"https://a.example"} }},
		"at random": {"Accept: */*", func(o *proxy.Options, _ *http.Server) { stage(o, halfOf(staging.Requests)...) }},
		"above the quota": {"Accept: */*", func(o *proxy.Options, _ *http.Server) {
			o.Edge.Reads = someReads
			o.Edge.Shared = &fleetQuota{refuses: true}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, test.change)
			s.Dial().Get(facadetest.LaneTargets[0], test.field)
			if s.Handled.Load() != 1 {
				t.Errorf("net/http handled %d requests", s.Handled.Load())
			}
		})
	}
}

// TestLaneCounts: the lane counts the requests that it serves, on connections that are open and
// on others, and no requests of net/http.
func TestLaneCounts(t *testing.T) {
	t.Parallel()
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, nil)
	counted := func(want int) {
		t.Helper()
		facadetest.Eventually(t, fmt.Sprint(want, " requests are counted"), func() bool {
			return s.Counts()["calfacade_lane_requests_total"] == want
		})
	}
	a := s.Dial()
	b := s.Dial()
	a.Get(facadetest.LaneTargets[0])
	counted(1)
	b.Get(facadetest.LaneTargets[0])
	a.Get(facadetest.LaneTargets[0], facadetest.Leaving)
	a.Get(facadetest.LaneTargets[0], "If-None-Match: *")
	counted(3)
	a.Get(facadetest.LaneTargets[0], "Connection: close")
	a.Ended()
	b.Get(facadetest.LaneTargets[0])
	counted(4)
	if s.Handled.Load() != 2 {
		t.Errorf("net/http handled %d requests, want 2", s.Handled.Load())
	}
}

var someReads = edge.Quota{Requests: 1_000_000, Window: time.Hour}

// fleetQuota counts for all instances, and regains nothing.
type fleetQuota struct {
	refuses bool
	mu      sync.Mutex
	counts  map[string]int
}

func (q *fleetQuota) Take(_ context.Context, key string, interval time.Duration, burst int) (redisstore.Allowance, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counts == nil {
		q.counts = map[string]int{}
	}
	full := time.Duration(q.counts[key]) * interval
	if q.refuses || q.counts[key] == burst {
		return redisstore.Allowance{Wait: interval, Full: full}, nil
	}
	q.counts[key]++
	return redisstore.Allowance{Left: burst - q.counts[key], Full: full + interval}, nil
}

// halfOf is a canary of half of the clients or requests.
func halfOf(dimension staging.By) []staging.Rule {
	return []staging.Rule{{Setting: staging.Setting{State: staging.Canary, Percent: 50, By: dimension}}}
}

// stage configures a candidate. It responds as the site does below /new.
func stage(o *proxy.Options, rules ...staging.Rule) {
	candidate := proxy.BackendOptions{Name: "new", Dialect: mapping.API{Dialect: tribe.Dialect}, Upstreams: map[string]string{}}
	for _, l := range o.Site {
		candidate.Upstreams[l.Code] = strings.Replace(l.Upstream, "/wp-json", "/new/wp-json", 1)
	}
	o.Backends = []proxy.BackendOptions{candidate}
	facadetest.StagingOf(o).Candidate = "new"
	facadetest.StagingOf(o).Matrix = staging.NewMatrix(o.Clock, nil)
	facadetest.StagingOf(o).Matrix.Configure(staging.Plan{Candidate: proxy.CandidateOf(candidate),
		Cells: staging.Cells(mapping.Resources(), []string{"en", "es"}), Rules: rules})
}

func recordSpans(s sdk.Sampler) *facadetest.SpanRecorder {
	r := &facadetest.SpanRecorder{Sampler: s, Exported: tracetest.NewInMemoryExporter()}
	r.Tracer = sdk.NewTracerProvider(sdk.WithSyncer(r.Exported), sdk.WithSampler(r)).Tracer("")
	return r
}
