package telemetry_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func (c *counted) get(target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	c.facade.ServeHTTP(w, r)
	return w
}

// TestRequestIDIsForwarded: the site gets the id that the response and the log have: the id of
// the client if it is short and plain.
func TestRequestIDIsForwarded(t *testing.T) {
	for header, want := range map[string]string{"abc-1": "^abc-1$", "a b": "^[a-z0-9]+$", "": "^[a-z0-9]+$"} {
		logged, records := observer.New(zap.InfoLevel)
		c := newCounted(t, func(o *proxy.Options) { o.Log = zap.New(logged) })
		var ids []string
		c.legacy = func(w http.ResponseWriter, r *http.Request) {
			ids = append(ids, r.Header.Values("X-Request-Id")...)
			w.Header().Set("Content-Type", "application/json")
			proxytest.WriteItem(w, `{"id":12}`)
		}
		for _, change := range []func(*http.Request){
			func(*http.Request) {}, func(r *http.Request) { r.SetBasicAuth("u", "p") },
		} {
			answered := c.get(inEnglish+"/events/12", change,
				func(r *http.Request) { r.Header.Set("X-Request-Id", header) }).Header().Get("X-Request-Id")
			record := records.TakeAll()[0].ContextMap()
			if len(ids) != 1 || ids[0] != answered || record["request_id"] != answered ||
				!regexp.MustCompile(want).MatchString(answered) {
				t.Errorf("%q: the site saw %q, answered %q, logged %v", header, ids, answered, record["request_id"])
			}
			if record["upstream_calls"] != int64(1) || record["upstream_status"] != int64(200) {
				t.Errorf("the record of a fetch has no call: %v", record)
			}
			ids = nil
		}
	}
}

// TestRefusalsAreNoErrors: a 5xx that a request itself causes is no error in the log, and counts as 4xx.
func TestRefusalsAreNoErrors(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*http.Request)
		status int
		sample string
	}{
		"unknown method": {func(r *http.Request) { r.Method = "PURGE" }, http.StatusNotImplemented,
			`calfacade_requests_total{cache="none",endpoint="none",language="en",method="other",status="4xx"}`},
		"only-if-cached": {func(r *http.Request) { r.Header.Set("Cache-Control", "only-if-cached") }, http.StatusGatewayTimeout,
			`calfacade_requests_total{cache="none",endpoint="events.list",language="en",method="get",status="4xx"}`},
	} {
		logged, records := observer.New(zap.InfoLevel)
		c := newCounted(t, func(o *proxy.Options) { o.Log = zap.New(logged) })
		if got := c.get(inEnglish+"/events", test.change).Code; got != test.status {
			t.Errorf("%s: %d, want %d", name, got, test.status)
		}
		if n := records.FilterLevelExact(zap.ErrorLevel).Len(); n > 0 {
			t.Errorf("%s: %d records of errors", name, n)
		}
		c.want(map[string]string{test.sample: "1"})
	}
}

func TestLogRequests(t *testing.T) {
	for _, test := range []struct {
		choice string
		want   int
	}{{"", 2}, {"all", 2}, {"errors", 1}, {"none", 0}} {
		logged, records := observer.New(zap.InfoLevel)
		c := newCounted(t, func(o *proxy.Options) {
			o.Log = zap.New(logged)
			o.Requests = test.choice
		})
		c.get(inEnglish + "/events/12")
		c.legacy = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
		c.get(inEnglish + "/events/13")
		if got := records.FilterMessage(telemetry.RequestRecord).Len(); got != test.want {
			t.Errorf("%q: %d records, want %d", test.choice, got, test.want)
		}
	}
}
