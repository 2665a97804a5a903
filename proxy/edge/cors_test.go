package edge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy/edge"
)

// TestPreflightFields: a preflight that was written by hand, or passed through a proxy, names fields in
// any case and order. Allowed are the fields that calfacade reads, and those that libraries add unasked.
func TestPreflightFields(t *testing.T) {
	const standard = "accept,accept-language,authorization,baggage,cache-control,content-encoding,content-language," +
		"content-range,content-type,expires,if-match,if-none-match,if-unmodified-since,pragma,prefer,range,sentry-trace," +
		"traceparent,tracestate,x-calfacade-tester,x-http-method-override,x-request-id,x-requested-with,x-wp-nonce"
	for _, cors := range []edge.CORS{
		{Origins: []string{"*"}},
		{Origins: []string{"https://www.example.org"}, Credentials: true},
	} {
		e := edge.New(edge.Options{CORS: cors}, func(string) {})
		for _, test := range []struct {
			lines []string // of Access-Control-Request-Headers
			want  string   // Access-Control-Allow-Headers
			fails bool
		}{
			{lines: []string{"content-type"}, want: "content-type"},
			{lines: []string{"Content-Type"}, want: "content-type"},
			{lines: []string{"X-WP-Nonce, content-type"}, want: "content-type,x-wp-nonce"},
			{lines: []string{"prefer,authorization"}, want: "authorization,prefer"},
			{lines: []string{"Prefer", "Authorization,   Content-Type\t"}, want: "authorization,content-type,prefer"},
			{lines: []string{"content-type,Content-Type,,"}, want: "content-type"},
			{lines: []string{""}},
			{},
			{lines: []string{standard}, want: standard},
			{lines: []string{"Content-Type, X-Shop"}, fails: true},
			{lines: []string{"content type"}, fails: true},
		} {
			r := httptest.NewRequest(http.MethodOptions, "/", nil)
			r.Header["Origin"] = []string{"https://www.example.org"}
			r.Header["Access-Control-Request-Method"] = []string{"PATCH"}
			for _, line := range test.lines {
				r.Header.Add("Access-Control-Request-Headers", line)
			}
			w := httptest.NewRecorder()
			if answered, err := e.Admit(w, r, time.Now()); !answered || err != nil {
				t.Fatal(answered, err)
			}
			h := w.Result().Header
			if got := h.Get("Access-Control-Allow-Headers"); got != test.want {
				t.Errorf("%v, %q: fields %q, want %q", cors.Origins, test.lines, got, test.want)
			}
			if fails := h["Access-Control-Allow-Origin"] == nil; fails != test.fails {
				t.Errorf("%v, %q: the preflight fails %t, want %t", cors.Origins, test.lines, fails, test.fails)
			}
		}
	}
}
