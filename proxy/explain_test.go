package proxy_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
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
