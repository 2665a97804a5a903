package facadetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
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

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/lane"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// LaneSide is a server with a facade of its own, with the lane or without.
type LaneSide struct {
	*laneSite
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

// LaneTargets are hits, of all kinds, once a side is warm.
var LaneTargets = []string{
	"/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/events?per_page=3&page=1",
	"/wp-json/calendar/events/v1/events/?page=1&per_page=3",
	"/es/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/venues/7",
	"/wp-json/calendar/events/v1/events/5?i18n_language=es", "//wp-json/calendar/events/v1/events/5",
	"/wp-json/calendar/ev%65nts/v1/events/%35//", "/wp-json/calendar/events/v1/events?search=%E9%25",
	"/wp-json/calendar/events/v1/events/404",
	"/wp-json/calendar/events/v1/events/", "/es/wp-json/calendar/events/v1/events/", // cut before the id
}

// laneSite is the part that two sides have in common, so that their entries are the same.
type laneSite struct {
	URL   string
	Cache *cache.Cache
	Now   atomic.Int64 // nanoseconds since start

	Edited atomic.Int32 // times that the list was
	Listed atomic.Int32 // times that it was requested

	Held         chan struct{} // received when heldTarget is requested; a second value releases the response
	Disconnected chan struct{} // received when its client has disconnected
}

func (s *laneSite) Clock() time.Time { return Start.Add(time.Duration(s.Now.Load())) }

func NewLaneSite(t testing.TB) *laneSite {
	s := &laneSite{Held: make(chan struct{}), Disconnected: make(chan struct{})}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		title := "Harbour Lights "
		if strings.HasPrefix(r.URL.Path, "/new/") {
			title = "New Harbour Lights "
		}
		switch {
		case strings.HasSuffix(r.URL.Path, HeldTarget):
			s.Held <- struct{}{}
			select {
			case <-s.Held:
				proxytest.WriteItem(w, `{"id":77}`)
			case <-r.Context().Done():
				s.Disconnected <- struct{}{}
			}
		case strings.HasSuffix(r.URL.Path, "/events"):
			s.Listed.Add(1)
			w.Header().Set("X-TEC-Total", "1")
			w.Header().Set("X-TEC-TotalPages", "1")
			proxytest.WriteItem(w, `{"events":[{"id":5,"title":"%s"}],"total":1,"total_pages":1}`,
				strings.Repeat("Ébb & flow ", 700+int(s.Edited.Load())))
		case strings.HasSuffix(r.URL.Path, AgedTarget):
			w.Header().Set("Cache-Control", "max-age=3600")
			w.Header().Set("Age", "80")
			proxytest.WriteItem(w, `{"id":80}`)
		case strings.HasSuffix(r.URL.Path, "/404"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"code":"event-not-found","message":"The event was not found","data":{"status":404}}`)
		case strings.Contains(r.URL.Path, "/organizers/"):
			proxytest.WriteItem(w, `{"id":9,"organizer":"%s"}`, strings.Repeat("Tide ", 50_000))
		case strings.Contains(r.URL.Path, "/venues/"):
			proxytest.WriteItem(w, `{"id":7,"venue":"Quay"}`)
		default:
			proxytest.WriteItem(w, `{"id":5,"title":"%s"}`, strings.Repeat(title, 200))
		}
	}))
	t.Cleanup(legacy.Close)
	s.URL = legacy.URL
	s.Cache = cache.New(cache.Options{Clock: s.Clock})
	t.Cleanup(s.Cache.Close)
	return s
}

func NewLaneSide(t testing.TB, site *laneSite, inLane bool, change func(*proxy.Options, *http.Server)) *LaneSide {
	t.Helper()
	s := &LaneSide{T: t, laneSite: site, metrics: telemetry.NewMetrics("v1"), Conns: make(chan net.Conn)}
	core, logs := observer.New(zapcore.InfoLevel)
	s.Logs = logs
	o := proxy.Options{
		PublicURL: PublicURL,
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

// LongTarget is a hit of 250 KB, which no buffer on the way takes whole.
const LongTarget = "/wp-json/calendar/events/v1/organizers/9"

// HeldTarget is the end of a target whose response waits for the test.
const HeldTarget = "/tags/77"

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

// scripted is a listener of connections that a test makes.
type scripted struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l scripted) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l scripted) Close() error { close(l.closed); return nil }

func (l scripted) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

// ScriptedConn returns the bytes of a client piece by piece, one for each read, and then EOF;
// but not to net/http's read of one byte during a handler, since that would cancel the
// request. So the server alone determines the order of events. That read gets nothing if a client
// waits for each response.
type ScriptedConn struct {
	mu      sync.Mutex
	cond    *sync.Cond
	patient bool
	late    bool // a read takes too long
	closed  bool
	pieces  [][]byte
	got     bytes.Buffer
	done    chan struct{}
}

func (c *ScriptedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.pieces) == 0 || c.patient && len(p) == 1 {
		if len(p) > 1 || c.closed {
			return 0, io.EOF
		}
		if c.late {
			return 0, os.ErrDeadlineExceeded
		}
		c.cond.Wait()
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; len(c.pieces[0]) == 0 {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

func (c *ScriptedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = !t.IsZero() && t.Before(time.Now())
	c.cond.Broadcast()
	return nil
}

func (c *ScriptedConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
	}
	c.cond.Broadcast()
	return nil
}

func (c *ScriptedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.Write(p)
}

func (c *ScriptedConn) CloseWrite() error { return nil }

func (c *ScriptedConn) LocalAddr() net.Addr { return scripted{}.Addr() }

func (c *ScriptedConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 1234}
}

func (c *ScriptedConn) SetDeadline(time.Time) error { return nil }

func (c *ScriptedConn) SetWriteDeadline(time.Time) error { return nil }

// wholeRequests reports whether each piece is one that may wait for its answer: its
// end is a head's, before net/http's buffer is.
func wholeRequests(pieces []string) bool {
	return !slices.ContainsFunc(pieces, func(p string) bool { return !strings.HasSuffix(p, "\r\n\r\n") || len(p) > 4000 })
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
