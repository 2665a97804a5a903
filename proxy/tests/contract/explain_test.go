package contract_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestExplain: a call is made as it is explained.
func TestExplain(t *testing.T) {
	o := facadetest.FaultOptions("http://legacy.example")
	o.Cookies = true
	o.Unknown = mapping.Reject
	o.MaxURL = 200
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

// TestExplainLegacyNames: a request in the legacy's names is explained in its own, and of its
// parameters those are dropped that the table does not have.
func TestExplainLegacyNames(t *testing.T) {
	o := facadetest.FaultOptions("http://legacy.example")
	o.MaxURL = 200
	facadetest.InLegacyNames(&o)
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
		"GET ?context=help": "index GET http://legacy.example/wp-json/tribe/events/v1?context=help",
		"GET /doc":          "doc GET http://legacy.example/wp-json/tribe/events/v1/doc",
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
