package proxy_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/surrogate"
)

// TestExplain: what is explained is what would be done.
func TestExplain(t *testing.T) {
	o := faultOptions("http://legacy.example")
	o.Cookies, o.Unknown, o.MaxURL = true, mapping.Reject, 200
	f := proxy.New(o)
	t.Cleanup(f.Close)
	for target, want := range map[string]int{
		"/events/12?_wpnonce=0123456789":             200, // a credential, and no parameter
		"/events/12?nonsense=1":                      400,
		"/events?search=" + strings.Repeat("x", 200): 414,
		"/nothing": 404,
		"/docs":    404, // the page is off
	} {
		_, err := f.Explain(httptest.NewRequest("GET", "/wp-json/calendar/events/v1"+target, nil))
		got := 200
		if refused, ok := errors.AsType[*proxy.Refusal](err); ok {
			got = refused.Status
		}
		if got != want {
			t.Errorf("%.40s: %d (%v), want %d", target, got, err, want)
		}
	}
}

// TestExplainOldNames: a request in the legacy's names is explained in its own, and of its
// parameters those are dropped that the table does not have.
func TestExplainOldNames(t *testing.T) {
	o := faultOptions("http://legacy.example")
	o.MaxURL = 200
	inLegacyNames(&o)
	o.LegacyClients.Off = []string{"tags"}
	f := proxy.New(o)
	t.Cleanup(f.Close)
	explain := func(line string) (proxy.Explanation, error) {
		method, target, _ := strings.Cut(line, " ")
		return f.Explain(httptest.NewRequest(method, "/wp-json/tribe/events/v1"+target, nil))
	}
	e, err := explain("GET /events?wpml_language=en&per_page=5&_fields=id&i18n_language=es&x=1")
	if err != nil || strings.Join(e.Dropped, " ") != "x" || e.Endpoint != "events.list" {
		t.Errorf("%+v, %v", e, err)
	}
	for line, want := range map[string]string{
		"GET ?context=help": "index GET http://legacy.example/wp-json/tribe/events/v1?context=help", "GET /doc": "doc GET http://legacy.example/wp-json/tribe/events/v1/doc",
		"OPTIONS /events/7": "options OPTIONS http://legacy.example/wp-json/tribe/events/v1/events/1",
	} {
		if e, err := explain(line); err != nil || e.Endpoint+" "+e.Method+" "+e.Upstream != want {
			t.Errorf("%s: %+v, %v, want %s", line, e, err, want)
		}
	}
	for line, want := range map[string]string{
		"GET /events?wpml_language=xx": `{"code":"rest_invalid_param","message":"Invalid parameter(s): wpml_language"`,
		"GET /tags":                    `{"code":"calendar_legacy_off"`,
		"GET /events?search=" + strings.Repeat("x", 200): `{"code":"rest_uri_too_long"`,
	} {
		_, err := explain(line)
		if refused, ok := errors.AsType[*proxy.Refusal](err); !ok || !strings.HasPrefix(string(refused.Body), want) {
			t.Errorf("%.40s: %v", line, err)
		}
	}
}

// TestExplainEdge: caches in front get the keys that are explained, and no longer lifetime.
func TestExplainEdge(t *testing.T) {
	t.Parallel()
	for _, o := range []surrogate.Options{
		{}, {Tags: surrogate.XKey, Keys: surrogate.Keys{Prefix: "s2"}}, {Tags: surrogate.CacheTag, Lifetime: surrogate.CDNCacheControl}, {Lifetime: surrogate.AccelExpires},
	} {
		f := newCachedFacade(t, func(options *proxy.Options) { options.Surrogate, options.Docs = o, true })
		for _, line := range []string{
			"GET /events/5", "GET /venues/7", "GET /events/5?password=x", "GET /events?page=x", "GET ", "GET /docs/", "GET /doc", "OPTIONS /events", "DELETE /events/5",
		} {
			method, target, _ := strings.Cut(line, " ")
			r := httptest.NewRequest(method, "/wp-json/"+mapping.Namespace+target, nil)
			explained, err := f.facade.Explain(r)
			if err != nil || !o.Active() || method == http.MethodDelete {
				if explained.Edge != nil {
					t.Errorf("%+v: %s: %v", o, line, explained.Edge)
				}
				continue
			}
			w := httptest.NewRecorder()
			f.facade.ServeHTTP(w, r)
			if diff := cmp.Diff(explained.Edge, forCachesWithKeys(w.Header(), explained.Edge)); diff != "" {
				t.Errorf("%+v: %s (-explained +sent):\n%s", o, line, diff)
			}
		}
	}
}

var lifetimePattern = regexp.MustCompile(`^(max-age=)?([1-9]\d*)`)

// forCachesWithKeys returns the fields for caches that were sent, of the keys those that were
// explained, and the explained lifetime in place of one that is up to a tenth shorter.
func forCachesWithKeys(h http.Header, explained map[string]string) map[string]string {
	sent := forCaches(h)
	for name, value := range sent {
		want := lifetimePattern.FindStringSubmatch(explained[name])
		got := lifetimePattern.FindStringSubmatch(value)
		switch {
		case want != nil && got != nil:
			longest, _ := strconv.Atoi(want[2])
			if n, _ := strconv.Atoi(got[2]); n <= longest && n >= longest*9/10-1 {
				sent[name] = want[0] + strings.TrimPrefix(value, got[0])
			}
		case slices.Contains([]string{string(surrogate.XKey), string(surrogate.CacheTag)}, name):
			separator := value[len(strings.SplitAfterN(value, "all", 2)[0]):][:1]
			sent[name] = strings.Join(slices.DeleteFunc(strings.Split(value, separator), func(key string) bool {
				return !slices.Contains(strings.Split(explained[name], separator), key)
			}), separator)
		}
	}
	return sent
}
