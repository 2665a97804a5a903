package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
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

// laneSide is a server with a facade of its own, with the lane or without.
type laneSide struct {
	*laneSite
	t       testing.TB
	facade  *proxy.Facade
	metrics *telemetry.Metrics
	logs    *observer.ObservedLogs
	server  *http.Server
	lane    *lane.Lane // nil: none
	conns   chan net.Conn
	address string
	spans   *spanRecorder   // nil: none
	matrix  *staging.Matrix // nil: none
	exact   bool            // the rest of a quota is compared too
	secure  bool            // connections are dialed with TLS

	draining atomic.Bool
	handled  atomic.Int32 // by net/http
}

// laneTargets are hits, of all kinds, once a side is warm.
var laneTargets = []string{
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
	url   string
	cache *cache.Cache
	now   atomic.Int64 // nanoseconds since start

	edited atomic.Int32 // times that the list was
	listed atomic.Int32 // times that it was requested

	held         chan struct{} // received when heldTarget is requested; a second value releases the response
	disconnected chan struct{} // received when its client has disconnected
}

func (s *laneSite) clock() time.Time { return start.Add(time.Duration(s.now.Load())) }

func newLaneSite(t testing.TB) *laneSite {
	s := &laneSite{held: make(chan struct{}), disconnected: make(chan struct{})}
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		title := "Harbour Lights "
		if strings.HasPrefix(r.URL.Path, "/new/") {
			title = "New Harbour Lights "
		}
		switch {
		case strings.HasSuffix(r.URL.Path, heldTarget):
			s.held <- struct{}{}
			select {
			case <-s.held:
				proxytest.WriteItem(w, `{"id":77}`)
			case <-r.Context().Done():
				s.disconnected <- struct{}{}
			}
		case strings.HasSuffix(r.URL.Path, "/events"):
			s.listed.Add(1)
			w.Header().Set("X-TEC-Total", "1")
			w.Header().Set("X-TEC-TotalPages", "1")
			proxytest.WriteItem(w, `{"events":[{"id":5,"title":"%s"}],"total":1,"total_pages":1}`,
				strings.Repeat("Ébb & flow ", 700+int(s.edited.Load())))
		case strings.HasSuffix(r.URL.Path, agedTarget):
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
	s.url = legacy.URL
	s.cache = cache.New(cache.Options{Clock: s.clock})
	t.Cleanup(s.cache.Close)
	return s
}

func newLaneSide(t testing.TB, site *laneSite, inLane bool, change func(*proxy.Options, *http.Server)) *laneSide {
	t.Helper()
	s := &laneSide{t: t, laneSite: site, metrics: telemetry.NewMetrics("v1"), conns: make(chan net.Conn)}
	core, logs := observer.New(zapcore.InfoLevel)
	s.logs = logs
	o := proxy.Options{
		PublicURL: publicURL,
		Site: i18n.Site{
			{Code: "en", Root: "/wp-json", Upstream: site.url + "/wp-json"},
			{Code: "es", Root: "/es/wp-json", Upstream: site.url + "/es/wp-json"},
		},
		Legacy:   proxy.BackendOptions{Dialect: mapping.Backend{LanguageParam: "wpml_language"}},
		Upstream: upstream.Options{Timeout: time.Hour, MaxConcurrent: 64}, // longer than a test, and room for all conversations
		Cache:    s.cache,
		Freshness: freshness.Options{TTL: map[string]time.Duration{"events": time.Hour, "venues": time.Hour,
			"organizers": time.Hour, freshness.Errors: time.Hour}, StaleWhileRevalidate: time.Hour},
		Edge:    edge.Options{CORS: edge.CORS{Origins: []string{"*"}}, ReadOnly: true},
		Clock:   site.clock,
		Log:     zap.New(core),
		Metrics: s.metrics,
	}
	s.server = &http.Server{
		MaxHeaderBytes: 8 << 10, ConnContext: lane.ConnContext, ErrorLog: log.New(io.Discard, "", 0),
		IdleTimeout: time.Minute, ReadHeaderTimeout: time.Minute, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	}
	if change != nil {
		change(&o, s.server)
	}
	s.spans, _ = o.Tracer.(*spanRecorder)
	s.matrix = stagingOf(&o).Matrix
	s.facade = proxy.New(o)
	t.Cleanup(s.facade.Close)
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handled.Add(1)
		if s.draining.Load() {
			w.Header()["Connection"] = []string{"close"}
		}
		s.facade.ServeHTTP(w, r)
	})
	s.warm()
	if inLane {
		s.enterLane()
	}
	for _, inner := range []net.Listener{scripted{conns: s.conns, closed: make(chan struct{})}, s.listen()} {
		go func() { _ = s.server.Serve(lane.Cork(inner, s.lane)) }()
	}
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

// longTarget is a hit of 250 KB, which no buffer on the way takes whole.
const longTarget = "/wp-json/calendar/events/v1/organizers/9"

// heldTarget is the end of a target whose response waits for the test.
const heldTarget = "/tags/77"

// smallBuffers has the system take little at a time.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if c, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = c.SetWriteBuffer(8 << 10)
	}
	return c, err
}

func (s *laneSide) listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	return smallBuffers{l}
}

// enterLane puts the connections that are accepted from now on into a lane.
func (s *laneSide) enterLane() {
	s.lane = proxy.NewLane(s.server, func() (*proxy.Facade, func()) {
		if s.draining.Load() {
			return nil, nil
		}
		return s.facade, func() {}
	})
}

// warm requests each target until it is a hit, compressed where that pays, as a tester and as
// clients that a canary sends to both backends.
func (s *laneSide) warm() {
	clients := 1
	if s.matrix != nil {
		clients = 8
		s.warmFor("192.0.2.10:1234", testerToken)
	}
	for i := range clients {
		s.warmFor(fmt.Sprintf("192.0.2.%d:1234", 10+i), "")
	}
	s.logs.TakeAll()
	s.spans.takeAll()
}

func (s *laneSide) warmFor(client, token string) {
	for _, target := range append([]string{longTarget}, laneTargets...) {
		eventually(s.t, target+" is a hit", func() bool {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = client
			r.RequestURI = target
			u, err := r.URL.Parse("http://x" + target)
			if err != nil {
				s.t.Fatal(err)
			}
			r.URL = u
			r.Header.Set("Accept-Encoding", "gzip")
			if token != "" {
				r.Header.Set("X-Calfacade-Tester", token)
			}
			w := httptest.NewRecorder()
			s.facade.ServeHTTP(w, r)
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

func (l scripted) Close() error   { close(l.closed); return nil }
func (l scripted) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

// scriptedConn returns what a client sends piece by piece, one for each read, and then EOF;
// but not to net/http's read of one byte during a handler, since that would cancel the
// request. So the server alone determines what happens. That read gets nothing if a client
// waits for each response.
type scriptedConn struct {
	mu      sync.Mutex
	cond    *sync.Cond
	patient bool
	late    bool // a read takes too long
	closed  bool
	pieces  [][]byte
	got     bytes.Buffer
	done    chan struct{}
}

func (c *scriptedConn) Read(p []byte) (int, error) {
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

func (c *scriptedConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = !t.IsZero() && t.Before(time.Now())
	c.cond.Broadcast()
	return nil
}

func (c *scriptedConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
	}
	c.cond.Broadcast()
	return nil
}

func (c *scriptedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.Write(p)
}

func (c *scriptedConn) CloseWrite() error   { return nil }
func (c *scriptedConn) LocalAddr() net.Addr { return scripted{}.Addr() }
func (c *scriptedConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 1234}
}
func (c *scriptedConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }

// wholeRequests reports whether each piece is one that may wait for its answer: its
// end is a head's, before net/http's buffer is.
func wholeRequests(pieces []string) bool {
	return !slices.ContainsFunc(pieces, func(p string) bool { return !strings.HasSuffix(p, "\r\n\r\n") || len(p) > 4000 })
}

// send plays a client, and returns all responses.
func (s *laneSide) send(pieces []string) string {
	c := &scriptedConn{patient: wholeRequests(pieces), done: make(chan struct{})}
	c.cond = sync.NewCond(&c.mu)
	for _, p := range pieces {
		if p != "" {
			c.pieces = append(c.pieces, []byte(p))
		}
	}
	s.conns <- c
	<-c.done
	if s.exact {
		return mask(c.got.String())
	}
	return maskedRate.ReplaceAllString(mask(c.got.String()), "$1$2")
}

// Each begins with a constant, for which a search is fast.
var (
	maskedID   = regexp.MustCompile(`(?m)(\nX-Request-Id: )[0-9a-z]{1,13}(\r)$`)
	madeID     = regexp.MustCompile(`^[0-9a-z]{1,13}$`)
	maskedRate = regexp.MustCompile(`(?m)(\nRateLimit: "reads");r=\d+;t=\d+(\r)$`)
	maskedDate = regexp.MustCompile(`(?m)(\nDate: )[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT(\r)$`)
)

// mask hides what differs from answer to answer.
func mask(s string) string {
	return maskedDate.ReplaceAllString(maskedID.ReplaceAllString(s, "${1}ID$2"), "${1}DATE$2")
}

// records returns the records of the log, sorted, without what differs.
func (s *laneSide) records() (lines []string) {
	wrongSecrets := false
	for _, e := range s.logs.TakeAll() {
		fields := e.ContextMap()
		if e.Message == "wrong secret" { // one in 10 s, of whichever client is first
			wrongSecrets = true
			continue
		}
		if id, _ := fields["request_id"].(string); madeID.MatchString(id) {
			delete(fields, "request_id")
		}
		delete(fields, "upstream_ms")
		if _, traced := fields["trace_id"]; traced && !strings.HasPrefix(fmt.Sprint(fields["trace_id"]), clientTrace) {
			fields["trace_id"] = "new"
		}
		text, err := json.Marshal(fields)
		if err != nil {
			s.t.Fatal(err)
		}
		lines = append(lines, e.Level.String()+" "+e.Message+" "+string(text))
	}
	if wrongSecrets {
		lines = append(lines, "wrong secret")
	}
	slices.Sort(lines)
	return lines
}

// counts returns the counts of requests and of the cache.
func (s *laneSide) counts() map[string]int {
	w := httptest.NewRecorder()
	sources := telemetry.Sources{Cache: s.cache, Upstreams: s.facade.Upstreams}
	if s.matrix != nil {
		sources.Staging = control.Metrics{Matrix: s.matrix}
	}
	s.metrics.Watch(sources)
	s.metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	values := map[string]int{}
	for _, m := range countedSamples.FindAllStringSubmatch(w.Body.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			s.t.Fatal(err)
		}
		values[m[1]] = n
	}
	return values
}

var countedSamples = regexp.MustCompile(`(?m)^(calfacade_(?:lane_requests_total|requests_total|requests_in_flight|` +
	`request_duration_seconds_count|staging_requests_total)\S*) (\S+)$`)

// conversation is the bytes that a client sends, in pieces.
type conversation []string

// TestLaneIsLikeNetHTTP plays the same clients to a server with the lane and to one
// without: every byte they get, every record and every count is the same.
func TestLaneIsLikeNetHTTP(t *testing.T) {
	for _, setting := range []struct {
		name   string
		change func(*proxy.Options, *http.Server)
		least  int // of 100 conversations so many requests at least are the lane's
	}{
		{"as it is", nil, 70},
		{"cookies, some origins, no log", func(o *proxy.Options, _ *http.Server) {
			o.Cookies = true
			o.Edge.CORS.Origins = []string{"https://a.example"}
			o.Requests = "none"
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.HSTS = time.Hour
		}, 60},
		{"trusted proxies, HSTS and a cache in front", func(o *proxy.Options, _ *http.Server) {
			o.Surrogate = freshness.Surrogate{Tags: freshness.CacheTag, Lifetime: freshness.AccelExpires, SMaxAge: freshness.Unlimited}
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.HSTS = time.Hour
			o.Edge.CORS.Origins = nil
		}, 70},
		{"limited", func(o *proxy.Options, _ *http.Server) {
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Edge.Reads = edge.Quota{Requests: 1300, Window: time.Hour}
		}, 30},
		{"limited by all instances", func(o *proxy.Options, _ *http.Server) {
			o.Edge.Reads = edge.Quota{Requests: 1300, Window: time.Hour}
			o.Edge.Shared = &fleetQuota{}
		}, 30},
		{"traced by clients", func(o *proxy.Options, _ *http.Server) { o.Tracer = recordSpans(sdk.ParentBased(sdk.NeverSample())) }, 70},
		{"traced always", func(o *proxy.Options, _ *http.Server) { o.Tracer = recordSpans(sdk.AlwaysSample()) }, 70},
		{"candidate, testers, cookies", func(o *proxy.Options, _ *http.Server) {
			stage(o, append(halfOf(staging.Clients),
				staging.Rule{Selection: staging.Selection{Languages: []string{"es"}}, Setting: staging.Setting{State: staging.Shadow}},
				staging.Rule{Selection: staging.Selection{Resources: []string{"venues"}},
					Setting: staging.Setting{State: staging.NewWithFallback}})...)
			o.Edge.Trust.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			o.Cookies = true
			stagingOf(o).TesterToken, stagingOf(o).Comparer = testerToken, nil
			now := start // conversations run at once, so no wrong token may count for the next one
			o.Secrets = edge.NewSecrets(zap.NewNop(), func() time.Time {
				now = now.Add(time.Minute)
				return now
			})
		}, 60},
	} {
		t.Run(setting.name, func(t *testing.T) {
			t.Parallel()
			sample := conversations(t)
			site := newLaneSite(t)
			fast := newLaneSide(t, site, true, setting.change)
			reference := newLaneSide(t, site, false, setting.change)
			fast.exact = strings.HasPrefix(setting.name, "limited")
			if reference.exact = fast.exact; fast.exact || testing.Short() {
				sample = everyThird(sample)
			}
			got, counted, records, handled := fast.converse(sample)
			want, wantCounted, wantRecords, requests := reference.converse(sample)
			for i := range sample {
				if got[i] != want[i] {
					t.Fatalf("to %.2000q\n-without +with:\n%.3000s", []string(sample[i]), cmp.Diff(want[i], got[i]))
				}
			}
			served := requests - handled
			t.Logf("%d conversations, %d requests, %d in the lane", len(sample), requests, served)
			if served < setting.least*len(sample)/100 {
				t.Errorf("%d of the requests of %d conversations were the lane's", served, len(sample))
			}
			if diff := cmp.Diff(wantCounted, counted); diff != "" {
				t.Errorf("counts (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(wantRecords, records); diff != "" {
				t.Errorf("records (-without +with):\n%.3000s", diff)
			}
			if diff := cmp.Diff(reference.spans.takeAll(), fast.spans.takeAll()); diff != "" {
				t.Errorf("spans and decisions (-without +with):\n%.3000s", diff)
			}
		})
	}
}

func everyThird(list []conversation) (third []conversation) {
	for i := 0; i < len(list); i += 3 {
		third = append(third, list[i])
	}
	return third
}

// converse plays clients, sixteen at a time, or one where the order matters. handled is how many
// of their requests were net/http's.
func (s *laneSide) converse(list []conversation) (answers []string, counted map[string]int, records []string, handled int) {
	start := s.counts()
	s.handled.Store(0)
	answers = make([]string, len(list))
	var next atomic.Int32
	var workers sync.WaitGroup
	atOnce := 16
	if s.exact {
		atOnce = 1
	}
	for range atOnce {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				answers[i] = s.send(list[i])
			}
		})
	}
	workers.Wait()
	return answers, s.countsSince(start), s.records(), int(s.handled.Load())
}

// countsSince returns how much the counts grew, without what did not.
func (s *laneSide) countsSince(start map[string]int) map[string]int {
	grown := s.counts()
	for name := range grown {
		grown[name] -= start[name]
	}
	delete(grown, "calfacade_lane_requests_total") // of one side alone; TestLaneCounts has it
	maps.DeleteFunc(grown, func(_ string, n int) bool { return n == 0 })
	return grown
}

const laneEnd = "GET /wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// conversations are generated ones and those that are known to fool parsers.
func conversations(t *testing.T) (list []conversation) {
	random := rand.New(rand.NewPCG(1, 2))
	tag := func(target string) string {
		s := newLaneSide(t, newLaneSite(t), false, nil)
		m := regexp.MustCompile(`Etag: (\S+)`).FindStringSubmatch(s.send([]string{"GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"}))
		return m[1]
	}(laneTargets[0])
	pick := func(values []string) string { return values[random.IntN(len(values))] }
	request := func() string {
		target := pick(laneTargets)
		if random.IntN(8) == 0 {
			target = pick(oddTargets)
		}
		head := pick([]string{"GET", "GET", "GET", "GET", "HEAD", "HEAD"})
		if random.IntN(20) == 0 {
			head = pick([]string{"OPTIONS", "POST", "PUT", "get", "G@T", "BREW", "CONNECT", "TRACE", ""})
		}
		head += " " + target + " HTTP/1.1\r\n"
		if random.IntN(25) > 0 {
			head += "Host: api.example.org\r\n"
		}
		for range random.IntN(5) {
			head += strings.ReplaceAll(pick(harmless), "TAG", tag) + "\r\n"
		}
		if random.IntN(6) == 0 {
			head += pick(harmful) + "\r\n"
		}
		return head + "\r\n"
	}
	for range 1500 {
		text := ""
		for range 1 + random.IntN(4) {
			text += request()
		}
		list = append(list, cutAtRandom(random, text+laneEnd))
	}
	plain := "GET " + laneTargets[0] + " HTTP/1.1\r\nHost: x\r\n\r\nHEAD " + laneTargets[3] +
		" HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n"
	for i := range plain {
		list = append(list, conversation{plain[:i], plain[i:] + laneEnd}, conversation{plain[:i]},
			conversation{plain[:i] + "\x00" + plain[i:], laneEnd}, conversation{plain[:i] + "\r" + plain[i:], laneEnd},
			conversation{plain[:i] + "\n" + plain[i:], laneEnd}, conversation{plain[:i] + plain[i+1:], laneEnd})
	}
	// net/http's read beside the handler gets the X.
	list = append(list, strings.Split(plain+laneEnd, ""), conversation{leaves, "X", get + laneEnd})
	for _, evil := range smuggled() {
		list = append(list, conversation{evil + laneEnd}, conversation{plain + evil, laneEnd}, conversation{plain, evil, laneEnd},
			cutAtRandom(random, plain+evil+laneEnd), strings.Split(plain+evil+laneEnd, ""))
	}
	return list
}

// cutAtRandom sends mostly request by request, and else as it comes.
func cutAtRandom(random *rand.Rand, text string) (pieces conversation) {
	switch random.IntN(4) {
	case 0:
		return conversation{text}
	case 1:
		for len(text) > 0 {
			n := 1 + random.IntN(min(len(text), 300))
			pieces = append(pieces, text[:n])
			text = text[n:]
		}
		return pieces
	}
	return strings.SplitAfter(text, "\r\n\r\n")
}

var oddTargets = []string{
	"/", "/nowhere", "*", "http://api.example.org/wp-json/calendar/events/v1/events/5", "/wp-json/calendar/events/v1/events/5#a",
	"/wp-json/calendar/events/v1/events/%", "/wp-json/calendar/events/v1/events/5?page=%zz",
	"/wp-json/calendar/events/v1/events?page=0", "/wp-json/calendar/events/v1/events/x", "/wp-json/calendar/events/v1",
	"/wp-json/calendar/events/v1/events/5 ", "/wp-json/calendar/events/v1/events/\x80", "wp-json", "",
	"/wp-json/calendar/events/v1/events/5?" + strings.Repeat("a", 4100),
}

var harmless = []string{
	"User-Agent: client/1 (a; b)", "Accept: */*", "Accept: application/json", "accept-encoding: gzip",
	"Accept-Encoding: br, gzip;q=0.5", "Accept-Encoding: gzip;q=0", "Accept-Encoding: *", "Accept-Encoding: identity",
	"If-None-Match: TAG", "IF-NONE-MATCH: W/TAG", "If-None-Match: \"a\", TAG", "If-None-Match: *", "If-None-Match: \"other\"",
	"Origin: https://a.example", "Origin: null", "Connection: keep-alive", "Connection: Keep-Alive",
	"Cookie: a=b", "Cookie: wordpress_logged_in_a=b", "X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: 198.51.100.9, 192.0.2.7",
	"X-Forwarded-Proto: https", "X-FORWARDED-PROTO: http", "Forwarded: for=198.51.100.8;proto=https", "Cache-Control: no-cache",
	"Pragma: no-cache", "Range: bytes=0-1",
	"If-Modified-Since: Sat, 21 Nov 2026 10:00:00 GMT", "Accept-Language: es", "X-WP-Nonce: 0a1b2c3d",
	"X-Long: " + strings.Repeat("a", 300), "X-HTTP-Method-Override: DELETE", "Keep-Alive: 5", "Proxy-Connection: close", "X-Empty:",
	"X-Request-Id: 7f3a91c2-5d1e-4b5e-9f27-0c7f0e3d2a11", "x-request-id: aDm1Ww_3k.0-ABC", "X-Request-Id: \"bad\"", "X-Request-Id:",
	"X-Request-Id: " + strings.Repeat("a", 65),
	"traceparent: " + sampled, "Traceparent: " + unsampled,
	"traceparent: " + strings.Replace(sampled, clientTrace, clientTrace[:31]+"7", 1), "traceparent: 01" + sampled[2:] + "-more",
	"traceparent: 00-zz", "traceparent:",
	"tracestate: shop=a", "baggage: user=b", ingress, "Content-Type: application/json", "Content-Type: multipart/form-data",
	"Content-Encoding: br", "TE: trailers", "Cookie: theme=dark; wordpress_test_cookie=1", "Cookie:",
	"Cookie: a=b\r\nCookie: c=d", "Cache-Control: max-age=0",
}

var harmful = []string{
	"Content-Length: 0", "Content-Length: 3", "Content-Length: +0", "Content-Length: 0, 0",
	"Content-Length: 0\r\nContent-Length: 0", "Content-Length: 1\r\nContent-Length: 2", "Transfer-Encoding: chunked",
	"Transfer-Encoding: identity",
	"Expect: 100-continue", "Expect: x", "Upgrade: h2c", "Connection: close", "Connection: upgrade",
	"Connection: keep-alive, close", "Authorization:", "X-WP-Nonce:",
	"Host: other", "Host:", "Host: a b", " folded: a", "\tfolded", "Name : a", ": a", "no colon", "A: b\x00", "A: \x7f",
	"A: caf\xc3\xa9", "Caf\xc3\xa9: a", "A: b\rC: d", "A: b\nContent-Length: 5", "A: b\r\n Transfer-Encoding: chunked",
	"Trailer: A", "TE: trailers", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
	"X-Calfacade-Tester: x", "Cookie: calfacade-tester=x", testerField, testerCookie,
	"traceparent: " + sampled + "\r\nTraceparent: " + unsampled, "X-Long: " + strings.Repeat("a", 4096),
}

// smuggled are requests that two parsers may frame differently, with one inside
// that would then be a request.
func smuggled() (requests []string) {
	const inner = "GET /admin HTTP/1.1\r\nHost: y\r\n\r\n"
	const line = "GET /wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(inner), inner)
	for _, framing := range []string{
		"Content-Length: %d", "Content-Length: %d\r\nTransfer-Encoding: chunked",
		"Transfer-Encoding: chunked\r\nContent-Length: %d", "Transfer-Encoding: chunked", "Transfer-Encoding: identity, chunked",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
		"Transfer-Encoding: \tchunked", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding : chunked", " Transfer-Encoding: chunked",
		"X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked", "Transfer-Encoding\r\n : chunked",
		"Transfer-Encoding: \"chunked\"", "Transfer-Encoding: xchunked", "TRANSFER-ENCODING: CHUNKED",
		"Transfer_Encoding: chunked", "Content_Length: %d",
		"Content-Length: %d\r\nContent-Length: 0", "Content-Length: 0\r\nContent-Length: %d", "Content-Length: -1",
		"Content-Length: 0x10", "Content-Length: %d ", "Content-Length:\t%d", "Content-Length: 1e1", "Content-Length\x00: %d",
		"Content-Length: 99999999999999999999",
		"Expect: 100-continue\r\nContent-Length: %d", "Upgrade: websocket\r\nConnection: Upgrade",
		"Connection: Content-Length\r\nContent-Length: %d",
	} {
		if strings.Contains(framing, "%d") {
			framing = fmt.Sprintf(framing, len(inner))
		}
		requests = append(requests, line+framing+"\r\n\r\n"+inner, line+framing+"\r\n\r\n"+chunk, "HEAD"+line[3:]+framing+"\r\n\r\n"+inner,
			"POST"+line[3:]+framing+"\r\n\r\n"+chunk)
	}
	for _, start := range []string{
		"GET http://y/wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET //y/wp-json/calendar/events/v1/events/5 HTTP/1.1\r\nHost: x\r\n\r\n", line + "Host: y\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5\r\n\r\n", "GET /wp-json/calendar/events/v1/events/5 HTTP/0.9\r\nHost: x\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/1.2\r\nHost: x\r\n\r\n",
		"GET /wp-json/calendar/events/v1/events/5 HTTP/2.0\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\r\n" + line + "\r\n", "\r\n\r\n" + line + "\r\n", line + "\n", strings.ReplaceAll(line, "\r\n", "\n") + "\n",
		strings.ReplaceAll(line, "\r\n", "\r") + "\r", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", line + "\r\n\r\n",
		line + strings.Repeat("A: b\r\n", 900) + "\r\n", line + "A: " + strings.Repeat("a", 4010) + "\r\n\r\n",
		line + "A: " + strings.Repeat("a", 4020) + "\r\n\r\n", line + "A: " + strings.Repeat("a", 7000) + "\r\n\r\n",
		line + "A: " + strings.Repeat("a", 20_000) + "\r\n\r\n",
		line + "Cookie: a\r\n\tAuthorization: Basic b\r\n\r\n",
	} {
		requests = append(requests, start, start+inner)
	}
	return requests
}
