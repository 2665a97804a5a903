package edge_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// slowBody sends its first part, and the rest when it is released.
type slowBody struct {
	parts   []string
	counted chan bool // closed when the first part has been read
	release chan bool
	reads   int
}

// Read implements [io.Reader].
func (b *slowBody) Read(p []byte) (int, error) {
	b.reads++
	switch b.reads {
	case 1:
		return copy(p, b.parts[0]), nil
	case 2:
		close(b.counted)
		<-b.release
		return copy(p, b.parts[1]), io.EOF
	}
	return 0, io.EOF
}

// TestBodies: the memory of bodies in progress is bounded, and released.
func TestBodies(t *testing.T) {
	o := facadetest.NewScenario(t).Options
	legacy := httptest.NewServer(facadetest.Entitled("x"))
	t.Cleanup(legacy.Close)
	o.Site[0].Upstream = legacy.URL + "/wp-json"
	o.Edge.MaxBodies = 2500 // of which one client has a fifth
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	send := func(method string, body io.Reader, want int) {
		t.Helper()
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/wp-json/calendar/events/v1/tags", body)
		r.Header.Set("Content-Type", "application/json")
		facade.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d: %s", method, w.Code, want, w.Body)
		}
		if got := w.Header().Get("Retry-After"); (got == "1") != (want == http.StatusServiceUnavailable) {
			t.Errorf("%s: Retry-After %q", method, got)
		}
	}
	small := `{"name":"x"}`
	large := `{"name":"` + strings.Repeat("x", 150) + `"}`
	for range 10 { // nothing is left behind
		send("POST", strings.NewReader(large), http.StatusCreated)
	}
	slow := &slowBody{
		parts:   []string{`{"name":` + strings.Repeat(" ", 400), `"x"}`},
		counted: make(chan bool), release: make(chan bool),
	}
	answered := make(chan bool)
	go func() {
		defer close(answered)
		send("POST", slow, http.StatusCreated)
	}()
	select {
	case <-slow.counted:
	case <-answered:
		t.Fatal("the slow one was answered before it was read")
	}
	send("POST", strings.NewReader(large), http.StatusServiceUnavailable)
	send("POST", strings.NewReader(small), http.StatusCreated)
	send("GET", nil, http.StatusOK)
	close(slow.release)
	<-answered
	send("POST", strings.NewReader(large), http.StatusCreated)
}

// stalled is the end of a body that its client does not send.
type stalled struct {
	arrived chan<- bool
	release <-chan bool
}

// Read implements [io.Reader].
func (s stalled) Read([]byte) (int, error) {
	s.arrived <- true
	<-s.release
	return 0, io.ErrUnexpectedEOF
}

// TestBodiesOfOneClient: a client that sends all but the last byte of as many bodies as have room, by as many
// connections as have room, keeps no write of another client out, however many clients do so.
func TestBodiesOfOneClient(t *testing.T) {
	o := facadetest.NewScenario(t).Options
	legacy := httptest.NewServer(facadetest.Entitled("x"))
	t.Cleanup(legacy.Close)
	o.Site[0].Upstream = legacy.URL + "/wp-json"
	o.Edge.MaxBodies = 64 << 20
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	send := func(client string, body io.Reader) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/wp-json/calendar/events/v1/tags", body)
		r.RemoteAddr = client
		r.Header.Set("Content-Type", "application/json")
		facade.ServeHTTP(w, r)
		return w
	}
	largest := `{"name":` + strings.Repeat(" ", 1<<20-12) + `"x"}`
	arrived := make(chan bool)
	release := make(chan bool)
	refused := make(chan bool)
	var attack sync.WaitGroup
	stall := func(client string) (refusals int) {
		for range 64 {
			attack.Go(func() {
				w := send(client, io.MultiReader(strings.NewReader(largest[1:]), stalled{
					arrived: arrived,
					release: release,
				}))
				if w.Code == http.StatusServiceUnavailable {
					refused <- true
				}
			})
			select {
			case <-arrived:
			case <-refused:
				refusals++
			}
		}
		return refusals
	}
	for _, client := range []string{"192.0.2.1:1", "192.0.2.9:1", "[2001:db8::1]:1", "[2001:db8::2]:1", "192.0.2.4:1"} {
		if stall(client) == 0 {
			t.Errorf("%s: no body was refused", client)
		}
		if w := send("192.0.2.2:1", strings.NewReader(largest)); w.Code != http.StatusCreated {
			t.Errorf("a write of another client: %d %s", w.Code, w.Body)
		}
	}
	close(release)
	attack.Wait()
}

// unread is the connection of a client that does not read its responses.
type unread struct {
	http.ResponseWriter
	arrived chan<- bool
	release <-chan bool
}

// Write implements [io.Writer].
func (w unread) Write(p []byte) (int, error) {
	if w.Header().Get("Retry-After") == "" {
		w.arrived <- true
		<-w.release
	}
	return w.ResponseWriter.Write(p)
}

// TestUnreadResponsesOfOneClient: a client that does not read its responses, of reads with credentials or of writes,
// keeps no call of another client out.
func TestUnreadResponsesOfOneClient(t *testing.T) {
	o := facadetest.NewScenario(t).Options
	legacy := httptest.NewServer(facadetest.Entitled("x"))
	t.Cleanup(legacy.Close)
	o.Site[0].Upstream = legacy.URL + "/wp-json"
	o.Edge.MaxUncached = 64
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	arrived := make(chan bool)
	release := make(chan bool)
	refused := make(chan bool)
	send := func(w http.ResponseWriter, client, method string) {
		r := httptest.NewRequest(method, "/wp-json/calendar/events/v1/events/5", nil)
		r.RemoteAddr = client
		r.Header.Set("Authorization", "Basic dTpw")
		facade.ServeHTTP(w, r)
	}
	var attack sync.WaitGroup
	for _, method := range []string{"GET", "DELETE"} {
		refusals := 0
		for range 64 {
			attack.Go(func() {
				w := httptest.NewRecorder()
				send(unread{
					ResponseWriter: w,
					arrived:        arrived,
					release:        release,
				}, "192.0.2.1:1", method)
				if w.Code == http.StatusServiceUnavailable {
					refused <- true
				}
			})
			select {
			case <-arrived:
			case <-refused:
				refusals++
			}
		}
		if refusals == 0 {
			t.Errorf("%s: no request was refused", method)
		}
		for _, verb := range []string{"GET", "DELETE"} {
			w := httptest.NewRecorder()
			send(w, "192.0.2.2:1", verb)
			if w.Code != http.StatusOK {
				t.Errorf("%s after %s of another client: %d %s", verb, method, w.Code, w.Body)
			}
		}
	}
	close(release)
	attack.Wait()
}

// TestFront: with as many requests of several clients under way as may be, uncached reads are
// refused first, then writes, and what the cache has never is.
func TestFront(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		o.Edge.MaxUncached = 4
		o.Edge.Trust = edge.Trust{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	})
	f.Want("GET /events/1", "200 fwd=uri-miss; stored calls 1")
	f.Want("GET /events/2", "200 fwd=uri-miss; stored calls 1")
	arrived := make(chan bool)
	release := make(chan bool)
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		select {
		case arrived <- true:
			<-release
		case <-release:
		}
		facadetest.Entitled("x")(w, r)
	})
	var under sync.WaitGroup
	clients := 0
	begin := func(line string, header ...string) {
		t.Helper()
		answered := make(chan bool)
		clients++
		header = append(header, fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", clients))
		under.Go(func() {
			defer close(answered)
			if res, _ := f.Send(line, header...); res.StatusCode != http.StatusOK {
				t.Errorf("%s: %d", line, res.StatusCode)
			}
		})
		select {
		case <-arrived:
		case <-answered:
			close(release)
			t.Fatalf("%s did not reach the legacy", line)
		}
	}
	begin("GET /events/5")
	begin("GET /events/6")
	begin("GET /events/7", "Authorization: Basic dTpw")

	refused := func(line string, header ...string) {
		t.Helper()
		res, body := f.Send(line, header...)
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "1" ||
			body != "" && !strings.Contains(body, "calendar_overloaded") {
			t.Errorf("%s: %d %s", line, res.StatusCode, body)
		}
	}
	refused("GET /events/8")
	refused("HEAD /events/8")
	refused("GET /events/8", "Authorization: Basic dTpw")
	f.Want("GET /events/1", "200 hit calls 0")
	f.Want("HEAD /events/1", "200 hit calls 0")
	begin("DELETE /events/5")
	refused("DELETE /events/5")
	f.Now.Add(int64(10 * time.Minute))
	f.Want("GET /events/2", "200 hit detail=stale-if-error calls 0")

	close(release)
	under.Wait()
	f.Answers(facadetest.Entitled("x"))
	f.Want("GET /events/8", "200 fwd=uri-miss; stored calls 1")
}

// TestReadOnlyUnderLoad: a write that begins after the switch has the answer of
// the mode that it is switched to.
func TestReadOnlyUnderLoad(t *testing.T) {
	o := facadetest.NewScenario(t).Options
	var calls, finished atomic.Int64
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		proxytest.WriteItem(w, `{"id":5}`)
	}))
	defer legacy.Close()
	o.Site[0].Upstream = legacy.URL + "/wp-json"
	facade := proxy.New(o)
	t.Cleanup(facade.Close)
	const switching = -1
	var mode atomic.Int64 // odd: read-only
	modes := make(chan int64)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				current := mode.Load()
				w := httptest.NewRecorder()
				facade.ServeHTTP(w, httptest.NewRequest("DELETE", "/wp-json/calendar/events/v1/events/5", nil))
				if w.Code == http.StatusOK {
					finished.Add(1)
				}
				if current == switching || mode.Load() != current {
					continue // either will do
				}
				if want := []int{http.StatusOK, http.StatusServiceUnavailable}[current%2]; w.Code != want {
					t.Errorf("mode %d: %d, want %d", current, w.Code, want)
				}
				select {
				case modes <- current:
				case <-ctx.Done():
				}
			}
		})
	}
	for round := int64(1); round <= 10; round++ {
		mode.Store(switching)
		facade.SetReadOnly(round%2 == 1)
		mode.Store(round)
		for n := 0; n < 8; {
			if <-modes == round {
				n++
			}
		}
	}
	cancel()
	writers.Wait()
	if calls.Load() != finished.Load() {
		t.Errorf("%d calls, %d writes were answered with 200", calls.Load(), finished.Load())
	}
}

// TestHSTS: a facade with a certificate sends the field with every response, whatever a client claims.
func TestHSTS(t *testing.T) {
	for age, want := range map[time.Duration]string{time.Hour: "max-age=3600", 0: ""} {
		r := httptest.NewRequest("GET", "/wp-json/calendar/events/v1", nil)
		r.Header.Set("X-Forwarded-Proto", "https")
		w := httptest.NewRecorder()
		newEdgeFacade(edge.Options{HSTS: age}, nil).ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: got %q", age, got)
		}
	}
}

// TestLoggedClient: the log shows the client that trusted proxies name, as the owner wants it.
func TestLoggedClient(t *testing.T) {
	type row struct {
		mode                  string
		peer, forwarded, want string
	}
	for _, test := range []row{
		{"full", "10.0.0.1:1", "198.51.100.7", "198.51.100.7"},
		{"full", "203.0.113.9:1", "198.51.100.7", "203.0.113.9"},
		{"network", "10.0.0.1:1", "198.51.100.7", "198.51.100.0/24"},
		{"network", "10.0.0.1:1", "2001:db8:1:2::3", "2001:db8:1::/48"},
		{"network", "10.0.0.1:1", "::ffff:198.51.100.7", "198.51.100.0/24"},
		{"network", "@", "", ""}, // a socket without an address
		{"none", "10.0.0.1:1", "198.51.100.7", ""},
	} {
		core, logged := observer.New(zap.InfoLevel)
		f := proxy.New(proxy.Options{
			Site: i18n.Languages{{Code: "en", Root: "/wp-json"}}, Log: zap.New(core), LogClient: test.mode,
			Edge: edge.Options{Trust: edge.Trust{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}},
		})
		r := httptest.NewRequest(http.MethodGet, "/wp-json/calendar/events/v1", nil)
		r.RemoteAddr = test.peer
		r.Header.Set("X-Forwarded-For", test.forwarded)
		f.ServeHTTP(httptest.NewRecorder(), r)
		if got, _ := logged.TakeAll()[0].ContextMap()["client"].(string); got != test.want {
			t.Errorf("%s of %s by %s: client %q, want %q", test.mode, test.forwarded, test.peer, got, test.want)
		}
	}
}

// newEdgeFacade returns a facade that never calls the legacy.
func newEdgeFacade(o edge.Options, log *zap.Logger) *proxy.Facade {
	return proxy.New(proxy.Options{
		PublicURL: facadetest.PublicURL,
		Site: i18n.Languages{
			{Code: "en", Root: "/wp-json", Upstream: "http://127.0.0.1:1/wp-json"},
			{Code: "de", Root: "/de/wp-json", Upstream: "http://127.0.0.1:1/de/wp-json"},
		},
		Edge: o,
		Log:  log,
	})
}
