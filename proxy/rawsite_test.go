package proxy_test

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

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// rawSite is a legacy that writes bytes, and no HTTP that a library would put
// right. It counts the requests that reached it whole, but for health checks: whether one comes
// depends on how long a test takes. It answers them with 503.
type rawSite struct {
	t     testing.TB
	url   string
	sends atomic.Int32
	ended chan struct{} // closed when the test is over: what hangs may go

	script  atomic.Pointer[script]
	mu      sync.Mutex
	open    map[net.Conn]bool
	running sync.WaitGroup
}

// script answers request n, from 0, of a connection. It returns whether the
// connection goes on.
type script func(s *rawSite, c net.Conn, n int) bool

func newRawSite(t testing.TB, does script) *rawSite {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawSite{t: t, url: "http://" + l.Addr().String(), ended: make(chan struct{}), open: map[net.Conn]bool{}}
	s.does(does)
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
		close(s.ended)
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

func (s *rawSite) does(does script) { s.script.Store(&does) }

func (s *rawSite) serve(c net.Conn) {
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
		does := says(response(503, "", ""), true)
		if r.URL.RawQuery != healthCheck {
			s.sends.Add(1)
			does = *s.script.Load()
		}
		if !does(s, c, n) {
			return
		}
	}
}

// says writes text, and keeps the connection or closes it.
func says(text string, goesOn bool) script {
	return func(_ *rawSite, c net.Conn, _ int) bool {
		_, err := io.WriteString(c, text)
		return err == nil && goesOn
	}
}

// hangs writes text and then nothing.
func hangs(text string) script {
	return func(s *rawSite, c net.Conn, _ int) bool {
		_, _ = io.WriteString(c, text)
		<-s.ended
		return false
	}
}

// response is a complete answer.
func response(status int, header, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), header, body)
}

const anItem = `{"id":5,"title":"Harbour Lights","url":"","rest_url":"","global_id":""}`

var fine = says(response(200, "", anItem), true)

// faultOptions are a facade's before a site. The timeout of calls is longer than a test.
func faultOptions(url string) proxy.Options {
	return proxy.Options{
		PublicURL: publicURL,
		Site: i18n.Site{
			{Code: "en", Root: "/wp-json", Upstream: url + "/wp-json"},
			{Code: "es", Root: "/es/wp-json", Upstream: url + "/es/wp-json"},
		},
		Legacy:      proxy.BackendOptions{Dialect: mapping.Backend{LanguageParam: "wpml_language"}},
		Upstream:    upstream.Options{Timeout: time.Hour},
		UpdatesAsIs: true, // one call each

	}
}

// facade makes a facade before the site, which ends before it.
func (s *rawSite) facade(change func(*proxy.Options)) *direct {
	s.t.Helper()
	o := faultOptions(s.url)
	if change != nil {
		change(&o)
	}
	return newDirect(s.t, o)
}

// direct is a client of a facade without a connection.
type direct struct {
	*proxy.Facade
	t testing.TB
}

func newDirect(t testing.TB, o proxy.Options) *direct {
	d := &direct{Facade: proxy.New(o), t: t}
	t.Cleanup(d.Close)
	return d
}

// send sends "METHOD path body", below the English root unless the path begins with /es, and
// returns "status code", with "after N" for a Retry-After (see inMinutes) and the kind of a stale
// response.
func (d *direct) send(line string) string { return d.sendAs(d.t.Context(), line) }

func (d *direct) sendAs(ctx context.Context, line string, header ...string) string {
	d.t.Helper()
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
	checkLeaks(d.t, w.Header(), w.Body.Bytes())
	var envelope struct {
		Code, Message string
		Data          struct{ Status int }
	}
	if method != http.MethodHead {
		if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
			d.t.Errorf("%s: %v: %.200s", line, err, w.Body)
		}
	}
	if envelope.Code != "" && (envelope.Data.Status != w.Code || envelope.Message == "") {
		d.t.Errorf("%s: status %d, envelope %s", line, w.Code, w.Body)
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

func (d *direct) want(line, want string) {
	d.t.Helper()
	if got := d.send(line); got != want {
		d.t.Errorf("%s: got %s, want %s", line, got, want)
	}
}
