package writing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestReadAfterWriteFails: tec/v1 names the image of a venue by an id, so that a read follows the write. If the
// read fails, in whatever way, the write was made all the same: the client does not learn that nothing changed, and
// the changed entries are purged.
func TestReadAfterWriteFails(t *testing.T) {
	const venue = `{"id":5,"date":"2027-01-02T10:00:00","status":"publish","link":"https://x.example/v/","slug":"v",` +
		`"title":{"rendered":"V"},"content":{"rendered":"","protected":false},"excerpt":{"rendered":""},"featured_media":4}`
	for name, fails := range map[string]http.HandlerFunc{
		"a failure":           facadetest.Sends(http.StatusInternalServerError, `{}`),
		"a refusal":           facadetest.Sends(http.StatusForbidden, `{"code":"rest_forbidden"}`),
		"no JSON":             facadetest.Sends(http.StatusOK, `<html>`),
		"a closed connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no connection":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			var site *httptest.Server
			wrote := false
			site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Allow", "GET, PUT") // the site accepts the writer
				switch {
				case r.Method == http.MethodPut:
					wrote = true
					if fails == nil {
						_ = site.Listener.Close()
						w.Header().Set("Connection", "close")
					}
					facadetest.Sends(http.StatusOK, venue)(w, r)
				case !strings.Contains(r.URL.Path, "/wp/v2/media"):
					facadetest.Sends(http.StatusOK, venue)(w, r)
				case wrote:
					fails(w, r)
				default:
					facadetest.Sends(http.StatusOK, `[{"id":4,"source_url":"https://x.example/i.jpg","media_details":{}}]`)(w, r)
				}
			}))
			t.Cleanup(site.Close)
			f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
				o.Legacy.Dialect.Dialect = tec.Dialect
				o.Site[0].Upstream = site.URL + "/wp-json"
			})
			if cacheStatus := f.CacheStatus("GET /venues/5"); !strings.Contains(cacheStatus, "stored") {
				t.Fatal(cacheStatus)
			}
			res, body := f.Send(`PUT /venues/5 {"phone":"1"}`, "Authorization: Basic d3JpdGVyOnB3")
			if !wrote || res.StatusCode != http.StatusGatewayTimeout || !strings.Contains(body, "calendar_write_outcome_unknown") {
				t.Errorf("written %t: %d %s", wrote, res.StatusCode, body)
			}
			if cacheStatus := f.CacheStatus("GET /venues/5"); strings.Contains(cacheStatus, "hit") {
				t.Errorf("the entry of before: %s", cacheStatus)
			}
		})
	}
}

// TestReadBeforeWriteFails: a response that cannot be read, before anything was sent, leaves no pending write.
func TestReadBeforeWriteFails(t *testing.T) {
	for _, body := range []string{`<html>`, `[]`, `{"id":5}`} {
		f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Legacy.Dialect.Dialect = tec.Dialect })
		f.Answers(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				t.Errorf("%s: the write was sent", body)
			}
			facadetest.Sends(http.StatusOK, body)(w, r)
		})
		if res, got := f.Send(`PUT /venues/5 {"phone":"1"}`); res.StatusCode != http.StatusBadGateway {
			t.Errorf("%s: %d %s", body, res.StatusCode, got)
		}
	}
}
