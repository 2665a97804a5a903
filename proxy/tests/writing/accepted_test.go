package writing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// listed answers reads with an event or an empty list, and writes by a function.
func listed(write http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Allow", "GET")
		user := r.Header.Get("Authorization")
		if "Authorization: "+user == facadetest.Editor {
			w.Header().Set("Allow", "GET, DELETE, POST, PUT, PATCH") // recording events/en/single-draft-as-editor
		}
		switch {
		case r.Method != http.MethodGet:
			write(w, r)
		case strings.HasSuffix(r.URL.Path, "/events") || strings.HasSuffix(r.URL.Path, "/events/"):
			_, _ = fmt.Fprint(w, `{"events":[],"rest_url":"http://x/","total":0,"total_pages":0}`)
		default:
			proxytest.WriteItem(w, `{"id":77,"title":"x","slug":"x","rest_url":"http://x/","status":"publish"}`)
		}
	}
}

// status answers a write with a status and a body.
func status(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Location", "/")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

// closes closes the connection of a write.
func closes(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// TestWritesOfOthers: what a client sends that the site has not accepted changes nothing for others, during the write
// and after it. If the outcome is unknown, a stored list is purged softly, once in a minute.
func TestWritesOfOthers(t *testing.T) {
	const refused, unknown = "hit hit hit", "hit stale hit"
	for name, test := range map[string]struct {
		write http.HandlerFunc
		want  string // how a list is served during the write, after it, and then
	}{
		"302":             {status(302, "text/html", ""), refused},
		"401":             {status(401, "application/json", `{"code":"incorrect_password","message":"x","data":{"status":401}}`), refused},
		"403 page":        {status(403, "text/html", "<html>"), refused},
		"408":             {status(408, "text/html", ""), refused},
		"429":             {status(429, "application/json", `{"code":"x","message":"x"}`), refused},
		"500":             {status(500, "text/html", "<html>"), unknown},
		"closes":          {closes, unknown},
		"a page of a 200": {status(200, "text/html", "<html>"), unknown},
	} {
		for _, credentials := range []string{"X-None: ", facadetest.Invented, "Authorization: Basic bWFkZTp1cA==", facadetest.Subscriber} {
			t.Run(name+"/"+credentials, func(t *testing.T) {
				f := facadetest.NewCachedFacade(t, nil)
				during := make(chan string, 2) // of two writes
				f.Answers(listed(func(w http.ResponseWriter, r *http.Request) {
					during <- f.Served()
					test.write(w, r)
				}))
				f.Served()
				f.Send("GET /events/77", credentials)
				f.Send("DELETE /events/77", credentials)
				first := f.Served()
				f.Settled()
				if got := <-during + " " + first + " " + f.Served(); got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
				f.Send("DELETE /events/77", credentials)
				if got := f.Served(); got != "hit" {
					t.Errorf("after another one %s", got)
				}
			})
		}
	}
}

// TestWritesOfAccepted: a write is announced once a response has shown that the site lets its identity write.
func TestWritesOfAccepted(t *testing.T) {
	done := status(200, "application/json", proxytest.Marked(`{"id":77,"title":"x","slug":"x","rest_url":"http://x/","status":"trash"}`))
	refuses := status(401, "application/json", `{"code":"incorrect_password","message":"x","data":{"status":401}}`)
	for name, test := range map[string]struct {
		prepare func(f *facadetest.CachedFacade, write *http.HandlerFunc)
		writer  string // whose credentials the write has
		want    string // how a list is served during the write
	}{
		"nothing before": {func(*facadetest.CachedFacade, *http.HandlerFunc) {}, facadetest.Editor, "hit"},
		"a read": {func(f *facadetest.CachedFacade, _ *http.HandlerFunc) {
			f.Send("GET /events/77", facadetest.Editor)
		}, facadetest.Editor, "pending"},
		"a read of another": {func(f *facadetest.CachedFacade, _ *http.HandlerFunc) {
			f.Send("GET /events/77", facadetest.Editor)
		}, facadetest.Subscriber, "hit"},
		"a read of a subscriber": {func(f *facadetest.CachedFacade, _ *http.HandlerFunc) {
			f.Send("GET /events/77", facadetest.Subscriber)
		}, facadetest.Subscriber, "hit"},
		"a write": {func(f *facadetest.CachedFacade, write *http.HandlerFunc) {
			*write = done
			f.Send("DELETE /events/77", facadetest.Editor)
		}, facadetest.Editor, "pending"},
		"a read, then a refusal": {func(f *facadetest.CachedFacade, write *http.HandlerFunc) {
			f.Send("GET /events/77", facadetest.Editor)
			*write = refuses
			f.Send("DELETE /events/77", facadetest.Editor)
		}, facadetest.Editor, "hit"},
		"a read long before": {func(f *facadetest.CachedFacade, _ *http.HandlerFunc) {
			f.Send("GET /events/77", facadetest.Editor)
			f.Now.Add(int64(10 * time.Minute))
		}, facadetest.Editor, "hit"},
	} {
		t.Run(name, func(t *testing.T) {
			f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Edge = edge.Options{} })
			var write http.HandlerFunc
			var during string
			f.Answers(listed(func(w http.ResponseWriter, r *http.Request) { write(w, r) }))
			test.prepare(f, &write)
			f.Served()
			f.Settled()
			write = func(w http.ResponseWriter, r *http.Request) {
				during = f.Served()
				done(w, r)
			}
			f.Send("DELETE /events/77", test.writer)
			if during != test.want {
				t.Errorf("%s, want %s", during, test.want)
			}
			if got := f.Served(); got != "fetched" {
				t.Errorf("after the write the list is %s", got)
			}
		})
	}
}

// TestAllowOfNeutral: Allow of a backend that is no WordPress, such as another calfacade, has all methods of the path
// and proves nothing of the identity.
func TestAllowOfNeutral(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Legacy.Dialect.Dialect = mapping.Neutral })
	var during string
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Allow", "GET, POST")
		if r.Method == http.MethodDelete {
			during = f.Served()
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = fmt.Fprint(w, `{"events":[],"rest_url":"http://x/","total":0,"total_pages":0}`)
	})
	f.Served()
	f.Send("GET /events", facadetest.Invented)
	f.Send("DELETE /events/77", facadetest.Invented)
	if during != "hit" {
		t.Errorf("during a write of made-up credentials the list is %s, want hit", during)
	}
}
