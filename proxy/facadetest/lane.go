package facadetest

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// LaneSide is a server with a facade of its own, with the lane or without.
type LaneSide struct {
	*LaneSite
	T       testing.TB
	Facade  *proxy.Facade
	metrics *telemetry.Metrics
	Logs    *observer.ObservedLogs
	Server  *http.Server
	Lane    *lane.Lane // nil disables the lane
	Conns   chan net.Conn
	Address string
	Spans   *SpanRecorder   // nil without the option
	matrix  *staging.Matrix // nil without a migration
	Exact   bool            // the rest of a quota is compared too
	Secure  bool            // connections are dialed with TLS

	Draining atomic.Bool
	Handled  atomic.Int32 // by net/http
}

func NewLaneSide(t testing.TB, site *LaneSite, inLane bool, change func(*proxy.Options, *http.Server)) *LaneSide {
	t.Helper()
	s := &LaneSide{T: t, LaneSite: site, metrics: telemetry.NewMetrics("v1"), Conns: make(chan net.Conn)}
	core, logs := observer.New(zapcore.InfoLevel)
	s.Logs = logs
	o := proxy.Options{
		Extensions: true,
		PublicURL:  PublicURL,
		Site: i18n.Languages{
			{Code: "en", Root: "/wp-json", Upstream: site.URL + "/wp-json"},
			{Code: "es", Root: "/es/wp-json", Upstream: site.URL + "/es/wp-json"},
		},
		Legacy:   proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
		Upstream: upstream.Options{Timeout: time.Hour, MaxConcurrent: 64}, // longer than a test, and room for all conversations
		Cache:    s.Cache,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": time.Hour, "venues": time.Hour,
			"organizers": time.Hour, freshness.Errors: time.Hour}, StaleWhileRevalidate: time.Hour},
		Edge:    edge.Options{CORS: edge.CORS{Origins: []string{"*"}}, ReadOnly: true},
		Clock:   site.Clock,
		Log:     zap.New(core),
		Metrics: s.metrics,
	}
	s.Server = &http.Server{
		MaxHeaderBytes: 8 << 10, ConnContext: lane.ConnContext, ErrorLog: log.New(io.Discard, "", 0),
		IdleTimeout: time.Minute, ReadHeaderTimeout: time.Minute, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	}
	if change != nil {
		change(&o, s.Server)
	}
	s.Spans, _ = o.Tracer.(*SpanRecorder)
	s.matrix = StagingOf(&o).Matrix
	s.Facade = proxy.New(o)
	t.Cleanup(s.Facade.Close)
	s.Server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handled.Add(1)
		if s.Draining.Load() {
			w.Header()["Connection"] = []string{"close"}
		}
		s.Facade.ServeHTTP(w, r)
	})
	s.warm()
	if inLane {
		s.enterLane()
	}
	for _, inner := range []net.Listener{scripted{conns: s.Conns, closed: make(chan struct{})}, s.Listen()} {
		go func() { _ = s.Server.Serve(lane.Cork(inner, s.Lane)) }()
	}
	t.Cleanup(func() { _ = s.Server.Close() })
	return s
}

// smallBuffers has the system take little at a time.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if c, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = c.SetWriteBuffer(8 << 10)
	}
	return c, err
}

func (s *LaneSide) Listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.T.Fatal(err)
	}
	s.Address = l.Addr().String()
	return smallBuffers{l}
}

// enterLane puts the connections that are accepted from now on into a lane.
func (s *LaneSide) enterLane() {
	s.Lane = proxy.NewLane(s.Server, func() (*proxy.Facade, func()) {
		if s.Draining.Load() {
			return nil, nil
		}
		return s.Facade, func() {}
	})
}

// warm requests each target until it is a hit, compressed where that pays, as a tester and as
// clients that a canary sends to both backends.
func (s *LaneSide) warm() {
	clients := 1
	if s.matrix != nil {
		clients = 8
		s.warmFor("192.0.2.10:1234", TesterToken)
	}
	for i := range clients {
		s.warmFor(fmt.Sprintf("192.0.2.%d:1234", 10+i), "")
	}
	s.Logs.TakeAll()
	s.Spans.TakeAll()
}

func (s *LaneSide) warmFor(client, token string) {
	for _, target := range append([]string{LongTarget}, LaneTargets...) {
		Eventually(s.T, target+" is a hit", func() bool {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = client
			r.RequestURI = target
			u, err := r.URL.Parse("http://x" + target)
			if err != nil {
				s.T.Fatal(err)
			}
			r.URL = u
			r.Header.Set("Accept-Encoding", "gzip")
			if token != "" {
				r.Header.Set("X-Calfacade-Tester", token)
			}
			w := httptest.NewRecorder()
			s.Facade.ServeHTTP(w, r)
			status := w.Header().Get("Cache-Status")
			return status == "" || strings.Contains(status, "; hit")
		})
	}
}

// Send plays a client, and returns all responses.
func (s *LaneSide) Send(pieces []string) string {
	c := &ScriptedConn{patient: wholeRequests(pieces), done: make(chan struct{})}
	c.cond = sync.NewCond(&c.mu)
	for _, p := range pieces {
		if p != "" {
			c.pieces = append(c.pieces, []byte(p))
		}
	}
	s.Conns <- c
	<-c.done
	if s.Exact {
		return Mask(c.got.String())
	}
	return maskedRate.ReplaceAllString(Mask(c.got.String()), "$1$2")
}

// Mask hides the values that differ from answer to answer.
func Mask(s string) string {
	return maskedDate.ReplaceAllString(maskedID.ReplaceAllString(s, "${1}ID$2"), "${1}DATE$2")
}

// Records returns the records of the log, sorted, without the values that differ.
func (s *LaneSide) Records() (lines []string) {
	wrongSecrets := false
	for _, e := range s.Logs.TakeAll() {
		fields := e.ContextMap()
		if e.Message == "wrong secret" { // one in 10 s, of whichever client is first
			wrongSecrets = true
			continue
		}
		if id, _ := fields["request_id"].(string); madeID.MatchString(id) {
			delete(fields, "request_id")
		}
		delete(fields, "upstream_ms")
		if _, traced := fields["trace_id"]; traced && !strings.HasPrefix(fmt.Sprint(fields["trace_id"]), ClientTrace) {
			fields["trace_id"] = "new"
		}
		text, err := json.Marshal(fields)
		if err != nil {
			s.T.Fatal(err)
		}
		lines = append(lines, e.Level.String()+" "+e.Message+" "+string(text))
	}
	if wrongSecrets {
		lines = append(lines, "wrong secret")
	}
	slices.Sort(lines)
	return lines
}

// Counts returns the counts of requests and of the cache.
func (s *LaneSide) Counts() map[string]int {
	w := httptest.NewRecorder()
	sources := telemetry.Sources{Cache: s.Cache, Upstreams: s.Facade.Upstreams}
	if s.matrix != nil {
		sources.Staging = control.Metrics{Matrix: s.matrix}
	}
	s.metrics.Watch(sources)
	s.metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	values := map[string]int{}
	for _, m := range countedSamples.FindAllStringSubmatch(w.Body.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			s.T.Fatal(err)
		}
		values[m[1]] = n
	}
	return values
}

var countedSamples = regexp.MustCompile(`(?m)^(calfacade_(?:lane_requests_total|requests_total|requests_in_flight|` +
	`request_duration_seconds_count|staging_requests_total)\S*) (\S+)$`)

// Conversation is the bytes that a client sends, in pieces.
type Conversation []string

// Converse plays clients, sixteen at a time, or one where the order matters. handled is how many
// of their requests were net/http's.
func (s *LaneSide) Converse(list []Conversation) (answers []string, counted map[string]int, records []string, handled int) {
	start := s.Counts()
	s.Handled.Store(0)
	answers = make([]string, len(list))
	var next atomic.Int32
	var workers sync.WaitGroup
	atOnce := 16
	if s.Exact {
		atOnce = 1
	}
	for range atOnce {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				answers[i] = s.Send(list[i])
			}
		})
	}
	workers.Wait()
	return answers, s.CountsSince(start), s.Records(), int(s.Handled.Load())
}

// CountsSince returns the counts that grew, and by how much.
func (s *LaneSide) CountsSince(start map[string]int) map[string]int {
	grown := s.Counts()
	for name := range grown {
		grown[name] -= start[name]
	}
	delete(grown, "calfacade_lane_requests_total") // of one side alone; TestLaneCounts has it
	maps.DeleteFunc(grown, func(_ string, n int) bool { return n == 0 })
	return grown
}
