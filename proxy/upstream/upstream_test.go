package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/google/go-cmp/cmp"
)

// facadeBefore serves a facade before legacy and returns its URL.
func facadeBefore(t *testing.T, legacy http.Handler, change func(*proxy.Options)) string {
	t.Helper()
	site := httptest.NewServer(legacy)
	t.Cleanup(site.Close)
	return facadetest.FacadeAt(t, site.URL, change)
}

// statusOf sends a request and returns status and error code of the response; "" without error.
func statusOf(t *testing.T, r *http.Request) (status int, code string) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	facadetest.CheckLeaks(t, res.Header, body)
	var envelope struct{ Code string }
	if err := json.Unmarshal(body, &envelope); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, envelope.Code
}

// writes are one call of every method that changes something.
var writes = []struct{ method, path, body string }{
	{"POST", "/events", facadetest.AnEvent}, {"PUT", "/events/5", "{}"}, {"PATCH", "/events/5", "{}"}, {"POST", "/events/5", "{}"},
	{"DELETE", "/events/5", ""},
}

// TestRetries: a read is tried again, a write never, whichever way it fails.
func TestRetries(t *testing.T) {
	for name, test := range map[string]struct {
		fail http.HandlerFunc
		want string
	}{
		"502":      {facadetest.Answer(502, "<html>"), "502 calendar_upstream_failed"},
		"503":      {facadetest.Answer(503, "<html>"), "503 calendar_upstream_unavailable"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "502 calendar_upstream_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			base := facadeBefore(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				test.fail(w, r)
			}), func(o *proxy.Options) { o.Upstream.Retries = 2 })
			status, code := statusOf(t, facadetest.Request(t, "GET", base+"/events", ""))
			if got := fmt.Sprint(status, " ", code); got != test.want {
				t.Errorf("GET: got %s, want %s", got, test.want)
			}
			if got := calls.Swap(0); got != 3 {
				t.Errorf("GET: %d calls, want 3", got)
			}
			for _, w := range writes {
				if status, _ := statusOf(t, facadetest.Request(t, w.method, base+w.path, w.body)); status < 500 {
					t.Errorf("%s %s: status %d", w.method, w.path, status)
				}
				if got := calls.Swap(0); got != 1 {
					t.Errorf("%s %s: %d calls, want 1", w.method, w.path, got)
				}
			}
		})
	}
}

func TestRetrySucceeds(t *testing.T) {
	var calls atomic.Int32
	base := facadeBefore(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		proxytest.WriteItem(w, `{"id":5}`)
	}), func(o *proxy.Options) { o.Upstream.Retries = 2 })
	if status, code := statusOf(t, facadetest.Request(t, "GET", base+"/events/5", "")); status != http.StatusOK {
		t.Errorf("got %d %s", status, code)
	}
}

// TestWriteOutcome: a client learns whether a write was certainly not made.
func TestWriteOutcome(t *testing.T) {
	for _, test := range []struct {
		name string
		base string
		want string
	}{
		{"refused connection", facadetest.FacadeAt(t, "http://127.0.0.1:1", nil), "503 calendar_upstream_unavailable"},
		{"hangs up", facadeBefore(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			nil), "504 calendar_write_outcome_unknown"},
		{"fatal error", facadeBefore(t, facadetest.Answer(500, `{"code":"internal_server_error"}`), nil), "504 calendar_write_outcome_unknown"},
		{"warning before the JSON", facadeBefore(t, facadetest.Answer(201, `<b>Warning</b>{"id":5}`), nil), "504 calendar_write_outcome_unknown"},
		{"error page", facadeBefore(t, facadetest.Answer(403, `<html>`), nil), "502 calendar_upstream_invalid"},
		{"unavailable", facadeBefore(t, facadetest.Answer(503, `<html>`), nil), "504 calendar_write_outcome_unknown"},
	} {
		for _, w := range writes {
			status, code := statusOf(t, facadetest.Request(t, w.method, test.base+w.path, w.body))
			if got := fmt.Sprint(status, " ", code); got != test.want {
				t.Errorf("%s: %s %s: got %s, want %s", test.name, w.method, w.path, got, test.want)
			}
		}
	}
}

// silentSite is a site, without a network, that takes requests and never answers.
type silentSite struct{}

func (silentSite) RoundTrip(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).WroteHeaders()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestTimeout: a call takes no longer than its timeout. In a bubble that does not depend on the
// machine, which may be slow to send.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := facadetest.FaultOptions("http://legacy.example")
		o.Upstream.Timeout = time.Minute
		o.Upstream.Wrap = func(http.RoundTripper) http.RoundTripper { return silentSite{} }
		d := facadetest.NewDirect(t, o)
		for line, want := range map[string]string{
			"GET /events":                        "504 calendar_upstream_timeout",
			"POST /events " + facadetest.AnEvent: "504 calendar_write_outcome_unknown",
		} {
			began := time.Now()
			d.Want(line, want)
			if took := time.Since(began); took != o.Upstream.Timeout {
				t.Errorf("%s took %s", line, took)
			}
		}
	})
}

// lastMoment is a site, without a network; its responses are complete when their call times out.
type lastMoment struct{ body string }

func (s lastMoment) RoundTrip(r *http.Request) (*http.Response, error) {
	status := http.StatusOK
	if r.Method == http.MethodPost {
		status = http.StatusCreated
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: &lateBody{
		ctx:    r.Context(),
		Reader: strings.NewReader(s.body),
	},
		Request: r}, nil
}

type lateBody struct {
	ctx context.Context
	*strings.Reader
}

func (b *lateBody) Read(p []byte) (int, error) {
	<-b.ctx.Done()
	return b.Reader.Read(p)
}

func (*lateBody) Close() error { return nil }

// TestTimeoutOfRewriting: rewriting a long response counts towards the timeout of its call, and a
// short one takes no time.
func TestTimeoutOfRewriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := facadetest.FaultOptions("http://legacy.example")
		o.Upstream.Wrap = func(http.RoundTripper) http.RoundTripper {
			return lastMoment{`{"id":5,"events":[` + strings.Repeat(`{"id":5},`, 10_000) + `{"id":5}],"total":10001,"total_pages":1}`}
		}
		d := facadetest.NewDirect(t, o)
		d.Want("GET /events", "504 calendar_upstream_timeout")
		d.Want("GET /events/5", "504 calendar_upstream_timeout")
		d.Want("POST /events "+facadetest.AnEvent, "504 calendar_write_outcome_unknown")
		d.Want("DELETE /events/5", "504 calendar_write_outcome_unknown")
		o.Upstream.Wrap = func(http.RoundTripper) http.RoundTripper { return lastMoment{facadetest.AnItem} }
		facadetest.NewDirect(t, o).Want("GET /events/5", "200")
	})
}

// TestMaxBody: what counts is the size after decompression.
func TestMaxBody(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.WriteString(z, proxytest.Marked(fmt.Sprintf(`{"id":5,"title":%q}`, strings.Repeat("x", 1<<20)))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	legacy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	for limit, want := range map[int64]string{
		1 << 19: "502 the response is larger than upstream.max_body",
		1 << 21: "200 <nil>",
	} {
		var log facadetest.Records
		base := facadeBefore(t, legacy, func(o *proxy.Options) {
			o.Upstream.MaxBody = limit
			o.Log = log.Logger()
		})
		status, _ := statusOf(t, facadetest.Request(t, "GET", base+"/events/5", ""))
		if got := fmt.Sprint(status, " ", log.Wait(t, 1)[0]["cause"]); got != want {
			t.Errorf("limit %d: got %s, want %s", limit, got, want)
		}
	}
}

// TestCodings: gzip is decoded by either name, and the log names another coding.
func TestCodings(t *testing.T) {
	for coding, want := range map[string]string{
		"x-gzip": "200 <nil>",
		"br":     "502 upstream status 200 with the content coding \"br\", which is not decoded",
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, facadetest.AnItem) // a buffer does not fail
		_ = z.Close()
		var log facadetest.Records
		base := facadeBefore(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			_, _ = w.Write(packed.Bytes())
		}), func(o *proxy.Options) { o.Log = log.Logger() })
		status, _ := statusOf(t, facadetest.Request(t, "GET", base+"/events/5", ""))
		if got := fmt.Sprint(status, " ", log.Wait(t, 1)[0]["cause"]); got != want {
			t.Errorf("%s: got %s, want %s", coding, got, want)
		}
	}
}

// TestNoCookieJar: a cookie that the legacy sets for one visitor is not sent by the next.
func TestNoCookieJar(t *testing.T) {
	base := facadeBefore(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := r.Header.Get("Cookie"); c != "" {
			t.Errorf("the legacy is sent Cookie: %s", c)
		}
		http.SetCookie(w, &http.Cookie{Name: "wordpress_logged_in_x", Value: "admin", Path: "/"})
		_, _ = io.WriteString(w, `{}`)
	}), func(o *proxy.Options) { o.Cookies = true })
	for range 3 {
		statusOf(t, facadetest.Request(t, "GET", base+"/events/5", ""))
	}
}

// TestRedirectsAreNotFollowed: a redirect could carry credentials to another
// host, and turns a POST into a GET.
func TestRedirectsAreNotFollowed(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("followed to %s", r.URL)
	}))
	defer foreign.Close()
	var log facadetest.Records
	base := facadeBefore(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, foreign.URL+r.URL.Path+"?password=opensesame", http.StatusMovedPermanently)
	}), func(o *proxy.Options) { o.Log = log.Logger() })
	for _, method := range []string{"GET", "DELETE"} {
		r := facadetest.Request(t, method, base+"/events/5", "")
		r.Header.Set("Authorization", "Basic c2VjcmV0")
		status, code := statusOf(t, r)
		if got, want := fmt.Sprint(status, " ", code), "502 calendar_upstream_invalid"; got != want {
			t.Errorf("%s: got %s, want %s", method, got, want)
		}
	}
	cause := log.Wait(t, 2)[0]["cause"]
	if s := fmt.Sprint(cause); !strings.Contains(s, "redirects (301) to "+foreign.URL+"/wp-json/") || strings.Contains(s, "opensesame") {
		t.Errorf("cause: %s", cause)
	}
}

// TestHangUp: a client that goes away stops its read, and not its write.
func TestHangUp(t *testing.T) {
	arrived := make(chan struct{})
	stopped := make(chan struct{})
	noticed := make(chan struct{})
	release := make(chan struct{})
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			close(stopped)
			return
		}
		<-release
		proxytest.WriteItem(w, `{"id":5}`)
	}))
	defer legacy.Close()
	var log facadetest.Records
	facade := proxy.New(proxy.Options{
		Site: i18n.Languages{{Code: "en", Upstream: legacy.URL}},
		Log:  log.Logger(),

		UpdatesAsIs: true, // one call each

	})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			<-r.Context().Done()
			noticed <- struct{}{}
		}()
		facade.ServeHTTP(w, r)
	}))
	defer front.Close()

	hangUp := func(method string) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			res, err := http.DefaultTransport.RoundTrip(facadetest.Request(t, method, front.URL+"/calendar/events/v1/events/5", "").WithContext(ctx))
			if err == nil {
				res.Body.Close()
			}
		}()
		<-arrived
		cancel()
		<-done
		<-noticed
	}
	hangUp("GET")
	<-stopped
	log.Wait(t, 1)
	hangUp("PUT")
	close(release)
	got := log.Wait(t, 2)[1]
	if diff := cmp.Diff([]any{"PUT", int64(200)}, []any{got["method"], got["upstream_status"]}); diff != "" {
		t.Errorf("record of the write (-want +got):\n%s", diff)
	}
}

// TestNoSecretInTheLog: credentials and passwords of events are nowhere,
// also when everything goes wrong.
func TestNoSecretInTheLog(t *testing.T) {
	var log facadetest.Records
	base := facadeBefore(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		func(o *proxy.Options) {
			o.Log = log.Logger()
			o.Cookies = true
			o.Upstream.Retries = 1
		})
	for _, test := range []struct{ method, query, body string }{
		{"GET", "?password=opensesame&unknown=opensesame", ""},
		{"GET", "?password=opensesame&password[]=opensesame", ""},
		{"PUT", "?password=opensesame", `{"password":"opensesame","title":"opensesame"}`},
		{"PUT", "", `{"password":"opensesame`},
	} {
		r := facadetest.Request(t, test.method, base+"/events/5"+test.query, test.body)
		r.Header.Set("Authorization", "Bearer opensesame")
		r.Header.Set("Cookie", "wordpress_logged_in_x=opensesame")
		r.Header.Set("X-WP-Nonce", "opensesame")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body)+fmt.Sprint(res.Header), "opensesame") {
			t.Errorf("%s %s: %s %s", test.method, test.query, res.Header, body)
		}
	}
	for _, record := range log.Wait(t, 4) {
		if s := fmt.Sprint(record); strings.Contains(s, "opensesame") {
			t.Errorf("record: %s", s)
		}
	}
}
