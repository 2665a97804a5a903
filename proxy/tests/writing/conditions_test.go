package writing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
)

const unmet = "412"

// TestIfMatch reads If-Match and If-None-Match of a write, as RFC 9110 has entity tags.
func TestIfMatch(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	res, _ := f.Send("GET /venues/5", "Authorization: Basic YTpi")
	tag := res.Header.Get("ETag")
	open := strings.TrimSuffix(tag, `"`)
	zipped := strings.TrimSuffix(tag, `"`) + `-gzip"`
	for _, test := range []struct{ match, noneMatch string }{
		{tag, unmet}, {zipped, unmet},
		{`"0", ` + tag, unmet}, {`"0",` + tag + `,"1"`, unmet}, {",, " + tag, unmet},
		{`"a,b", ` + tag, unmet}, {"*", unmet}, {" * ", unmet},
		{`W/"0", ` + tag, unmet},
		{"!W/" + tag, unmet}, // weak tags match in If-None-Match alone
		{`!"0"`, "200"}, {`!""`, "200"}, {"!W/*", "200"}, {"!" + strings.Trim(tag, `"`), "200"},
		{`!"0` + tag + `"`, "200"}, {`!"x, ` + strings.Trim(tag, `"`) + `"`, "200"}, {"!" + open, "200"}, {`!"0", *`, "200"},
	} {
		value, differs := strings.CutPrefix(test.match, "!")
		want := "200"
		if differs {
			want = unmet
		}
		if res, body := f.Send("DELETE /venues/5", "If-Match: "+value); fmt.Sprint(res.StatusCode) != want {
			t.Errorf("If-Match: %s: got %d, want %s: %s", value, res.StatusCode, want, body)
		}
		if res, body := f.Send("DELETE /venues/5", "If-None-Match: "+value); fmt.Sprint(res.StatusCode) != test.noneMatch {
			t.Errorf("If-None-Match: %s: got %d, want %s: %s", value, res.StatusCode, test.noneMatch, body)
		}
	}
}

// TestReadersTag: the ETag of a response, cached or not, compressed or not, is valid for a
// write by a client that sees the same. The ETag of another client's view is not.
func TestReadersTag(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		proxytest.WriteItem(w, `{"id":5,"venue":%q}`,
			"Hall"+strings.Repeat(" of many words", 200)+strings.TrimPrefix(r.Header.Get("Authorization"), "Basic YTpi"))
	})
	for accept, coding := range map[string]string{"identity": "", "gzip": "gzip"} {
		var tag string
		facadetest.Eventually(t, "sent as "+accept, func() bool {
			res, _ := f.Send("GET /venues/5", "Accept-Encoding: "+accept)
			tag = "If-Match: " + res.Header.Get("ETag")
			return res.Header.Get("Content-Encoding") == coding
		})
		f.Want("PUT /venues/5 {\"venue\":\"x\"}", "412 fwd=method calls 1", tag, "Authorization: Basic Yzpk")
		f.Want("GET /venues/5", "200 hit calls 0") // nothing was changed, and nothing purged
		f.Want("DELETE /venues/5", "200 fwd=method calls 2", tag, "Authorization: Basic YTpi")
	}
}

// TestConditionsAtTheCandidate: conditions are checked on the backend that gets the write.
func TestConditionsAtTheCandidate(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, facadetest.Unwatched)
	res, _ := f.Send("GET /events/5", "Authorization: Basic YTpi")
	tag := res.Header.Get("ETag")
	for ifMatch, want := range map[string]int{tag: http.StatusOK, `"0"`: http.StatusPreconditionFailed} {
		res, body := f.Send("DELETE /events/5", "If-Match: "+ifMatch)
		if res.StatusCode != want {
			t.Errorf("If-Match: %s: %d %s", ifMatch, res.StatusCode, body)
		}
	}
	if n := f.Calls.Load(); n != 0 {
		t.Errorf("%d calls on the legacy", n)
	}
	if writes := f.Matrix.Snapshot().Cells[1].Written; writes != 1 {
		t.Errorf("%d writes at the candidate, want 1", writes)
	}
	for _, c := range f.Changes {
		if c.Who == staging.ByRollback {
			t.Errorf("rolled back: %+v", c)
		}
	}
}

// TestConditionsFromAPage: a page of another origin may send them, and read the ETag.
func TestConditionsFromAPage(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Edge.CORS.Origins = []string{"https://shop.example"} })
	const origin = "Origin: https://shop.example"
	for _, name := range []string{"if-match", "if-none-match", "if-unmodified-since"} {
		res, _ := f.Send("OPTIONS /venues/5", origin, "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: "+name)
		if got := res.Header.Get("Access-Control-Allow-Headers"); got != name {
			t.Errorf("may a page send %s? %q", name, got)
		}
	}
	for _, header := range []string{"Accept: */*", "Authorization: Basic YTpi"} {
		res, _ := f.Send("GET /venues/5", origin, header)
		condition := "If-None-Match: " + res.Header.Get("ETag")
		if got := res.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(got, "Etag") {
			t.Errorf("%s: exposed %q", header, got)
		}
		res, _ = f.Send("GET /venues/5", origin, header, condition)
		if got := res.Header.Get("Access-Control-Allow-Origin"); res.StatusCode != http.StatusNotModified || got != "https://shop.example" {
			t.Errorf("%s, %s: %d, for %q", header, condition, res.StatusCode, got)
		}
	}
}
