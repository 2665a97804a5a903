package facadetest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/freshness"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// CountSends returns how often the site was sent a call, once that is at least as often as want ends with:
// a call that timed out may have ended before the site has read it.
func (s *RawSite) CountSends(want string) int32 {
	s.t.Helper()
	_, number, _ := strings.Cut(want, "sent ")
	n, err := strconv.Atoi(number)
	if err != nil {
		s.t.Fatal(err)
	}
	s.AwaitSends(n)
	return s.Sends.Load()
}

func (s *RawSite) AwaitSends(n int) {
	s.t.Helper()
	Eventually(s.t, fmt.Sprintf("sent %d", n), func() bool { return int(s.Sends.Load()) >= n })
}

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) current() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// StaleFacade has a cache: see staleOptions.
func (s *RawSite) StaleFacade(o proxy.Options) (*Direct, *clock) {
	c := s.StaleOptions(&o)
	return NewDirect(s.t, o), c
}

// StaleOptions add a cache: events are fresh for a minute, revalidated for five minutes after
// that, and served for an hour if the site fails.
func (s *RawSite) StaleOptions(o *proxy.Options) *clock {
	c := &clock{now: Start}
	// Slow is an hour, so that no stale response is served because the test machine is slow.
	entries := cache.New(cache.Options{Clock: c.current, Slow: time.Hour})
	s.t.Cleanup(entries.Close)
	o.Cache = entries
	o.Clock = c.current
	o.Freshness = freshness.Options{StaleWhileRevalidate: 5 * time.Minute, StaleIfError: time.Hour}
	return c
}

// RawSite is a legacy that writes bytes, and no HTTP that a library would put
// right. It counts the requests that reached it whole, but for health checks: whether one comes
// depends on how long a test takes. It answers them with 503.
type RawSite struct {
	t     testing.TB
	URL   string
	Sends atomic.Int32
	Ended chan struct{} // closed when the test is over: hanging responses may end

	script  atomic.Pointer[Script]
	mu      sync.Mutex
	open    map[net.Conn]bool
	running sync.WaitGroup
}

// Script answers request n, from 0, of a connection. It returns whether the
// connection goes on.
type Script func(s *RawSite, c net.Conn, n int) bool

func NewRawSite(t testing.TB, does Script) *RawSite {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &RawSite{t: t, URL: "http://" + l.Addr().String(), Ended: make(chan struct{}), open: map[net.Conn]bool{}}
	s.Does(does)
	s.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open[c] = true
			s.mu.Unlock()
			s.running.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		close(s.Ended)
		_ = l.Close()
		s.mu.Lock()
		for c := range s.open {
			_ = c.Close()
		}
		s.mu.Unlock()
		s.running.Wait()
	})
	return s
}

// healthCheck is the query of health checks, which no other request of these tests has.
const healthCheck = "per_page=1"

func (s *RawSite) Does(does Script) { s.script.Store(&does) }

func (s *RawSite) serve(c net.Conn) {
	defer c.Close()
	reader := bufio.NewReader(c)
	for n := 0; ; n++ {
		r, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		does := Says(Response(503, "", ""), true)
		if r.URL.RawQuery != healthCheck {
			s.Sends.Add(1)
			does = *s.script.Load()
		}
		if !does(s, c, n) {
			return
		}
	}
}

// Says writes text, and keeps the connection or closes it.
func Says(text string, goesOn bool) Script {
	return func(_ *RawSite, c net.Conn, _ int) bool {
		_, err := io.WriteString(c, text)
		return err == nil && goesOn
	}
}

// Response is a complete answer.
func Response(status int, header, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), header, body)
}

const AnItem = `{"id":5,"title":"Harbour Lights","url":"","rest_url":"","global_id":""}`

// FaultOptions are a facade's before a site. The timeout of calls is longer than a test.
func FaultOptions(url string) proxy.Options {
	return proxy.Options{
		Extensions: true,
		PublicURL:  PublicURL,
		Site: i18n.Languages{
			{Code: "en", Root: "/wp-json", Upstream: url + "/wp-json"},
			{Code: "es", Root: "/es/wp-json", Upstream: url + "/es/wp-json"},
		},
		Legacy:      proxy.BackendOptions{Dialect: mapping.API{LanguageParam: "wpml_language"}},
		Upstream:    upstream.Options{Timeout: time.Hour},
		UpdatesAsIs: true, // one call each

	}
}

// Facade makes a facade before the site, which ends before it.
func (s *RawSite) Facade(change func(*proxy.Options)) *Direct {
	s.t.Helper()
	o := FaultOptions(s.URL)
	if change != nil {
		change(&o)
	}
	return NewDirect(s.t, o)
}

// Direct is a client of a facade without a connection.
type Direct struct {
	*proxy.Facade
	T testing.TB
}

func NewDirect(t testing.TB, o proxy.Options) *Direct {
	d := &Direct{Facade: proxy.New(o), T: t}
	t.Cleanup(d.Close)
	return d
}

// Send sends "METHOD path body", below the English root unless the path begins with /es, and
// returns "status code", with "after N" for a Retry-After (see inMinutes) and the kind of a stale
// response.
func (d *Direct) Send(line string) string { return d.SendAs(d.T.Context(), line) }

func (d *Direct) SendAs(ctx context.Context, line string, header ...string) string {
	d.T.Helper()
	method, target, _ := strings.Cut(line, " ")
	path, body, _ := strings.Cut(target, " ")
	root := "/wp-json"
	if suffix, ok := strings.CutPrefix(path, "/es/"); ok {
		root = "/es/wp-json"
		path = "/" + suffix
	}
	r := httptest.NewRequestWithContext(ctx, method, root+"/calendar/events/v1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	CheckLeaks(d.T, w.Header(), w.Body.Bytes())
	var envelope struct {
		Code, Message string
		Data          struct{ Status int }
	}
	if method != http.MethodHead {
		if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
			d.T.Errorf("%s: %v: %.200s", line, err, w.Body)
		}
	}
	if envelope.Code != "" && (envelope.Data.Status != w.Code || envelope.Message == "") {
		d.T.Errorf("%s: status %d, envelope %s", line, w.Code, w.Body)
	}
	got := strings.TrimSpace(fmt.Sprint(w.Code, " ", envelope.Code))
	if delay := w.Header().Get("Retry-After"); delay != "" {
		got += " after " + inMinutes(delay)
	}
	if _, detail, ok := strings.Cut(w.Header().Get("Cache-Status"), "detail="); ok {
		got += " " + detail
	}
	return got
}

// inMinutes rounds a Retry-After of more than half a minute up to whole minutes. It counts down in
// real time, and a test may take some seconds.
func inMinutes(seconds string) string {
	n, err := strconv.Atoi(seconds)
	if err != nil || n <= 30 {
		return seconds
	}
	return strconv.Itoa((n + 59) / 60 * 60)
}

func (d *Direct) Want(line, want string) {
	d.T.Helper()
	if got := d.Send(line); got != want {
		d.T.Errorf("%s: got %s, want %s", line, got, want)
	}
}

// Breaks lets four failures in a row open the breaker for an hour.
func Breaks(o *proxy.Options) {
	o.Upstream.Breaker = upstream.BreakerOptions{Failures: 4, Open: time.Hour}
}

// Next makes a facade that shares the clients of others, as after a reload.
func (s *RawSite) Next(hosts *upstream.Hosts, change func(*proxy.Options)) *Direct {
	return s.Facade(func(o *proxy.Options) {
		Breaks(o)
		o.Hosts = hosts
		o.Upstream.MaxRetryAfter = time.Hour
		if change != nil {
			change(o)
		}
	})
}
