package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/testwait"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

const (
	editor     = "Authorization: Basic ZWRpdG9yOmE="
	subscriber = "Authorization: Basic c3Vic2NyaWJlcjph"
	invented   = "Authorization: Bearer made-up"
)

// listed answers reads with an event or an empty list, and writes by a function.
func listed(write http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Allow", "GET")
		user := r.Header.Get("Authorization")
		if "Authorization: "+user == editor {
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
		for _, credentials := range []string{"X-None: ", invented, "Authorization: Basic bWFkZTp1cA==", subscriber} {
			t.Run(name+"/"+credentials, func(t *testing.T) {
				f := newCachedFacade(t, nil)
				var during string
				f.answers(listed(func(w http.ResponseWriter, r *http.Request) {
					during = f.served()
					test.write(w, r)
				}))
				f.served()
				f.send("GET /events/77", credentials)
				f.send("DELETE /events/77", credentials)
				first := f.served()
				f.settled()
				if got := during + " " + first + " " + f.served(); got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
				f.send("DELETE /events/77", credentials)
				if got := f.served(); got != "hit" {
					t.Errorf("after another one %s", got)
				}
			})
		}
	}
}

// served returns how the list is served to another client: "hit", "stale", "fetched", or "pending" for a hit that other
// caches may not store.
func (f *cachedFacade) served() string {
	f.t.Helper()
	res, _ := f.send("GET /events")
	cacheStatus := res.Header.Get("Cache-Status")
	switch {
	case strings.Contains(cacheStatus, "detail=stale"):
		return "stale"
	case strings.Contains(cacheStatus, "fwd="):
		return "fetched"
	case strings.Contains(res.Header.Get("Cache-Control"), "no-cache"):
		return "pending"
	}
	return "hit"
}

// accepts lets the site show that it accepts the writes of an identity.
func (f *cachedFacade) accepts(credentials string) {
	f.t.Helper()
	site := *f.reply.Load()
	f.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "GET, POST")
		site(w, r)
	})
	f.send("GET /events", credentials)
	f.answers(site)
}

// settled waits for the refresh of the list.
func (f *cachedFacade) settled() {
	testwait.Until(f.t, "the list is fresh", func() bool { return f.served() != "stale" })
}

// TestWritesOfAccepted: a write is announced once a response has shown that the site lets its identity write.
func TestWritesOfAccepted(t *testing.T) {
	done := status(200, "application/json", proxytest.Marked(`{"id":77,"title":"x","slug":"x","rest_url":"http://x/","status":"trash"}`))
	refuses := status(401, "application/json", `{"code":"incorrect_password","message":"x","data":{"status":401}}`)
	for name, test := range map[string]struct {
		prepare func(f *cachedFacade, write *http.HandlerFunc)
		writer  string // whose credentials the write has
		want    string // how a list is served during the write
	}{
		"nothing before": {func(*cachedFacade, *http.HandlerFunc) {}, editor, "hit"},
		"a read": {func(f *cachedFacade, _ *http.HandlerFunc) {
			f.send("GET /events/77", editor)
		}, editor, "pending"},
		"a read of another": {func(f *cachedFacade, _ *http.HandlerFunc) {
			f.send("GET /events/77", editor)
		}, subscriber, "hit"},
		"a read of a subscriber": {func(f *cachedFacade, _ *http.HandlerFunc) {
			f.send("GET /events/77", subscriber)
		}, subscriber, "hit"},
		"a write": {func(f *cachedFacade, write *http.HandlerFunc) {
			*write = done
			f.send("DELETE /events/77", editor)
		}, editor, "pending"},
		"a read, then a refusal": {func(f *cachedFacade, write *http.HandlerFunc) {
			f.send("GET /events/77", editor)
			*write = refuses
			f.send("DELETE /events/77", editor)
		}, editor, "hit"},
		"a read long before": {func(f *cachedFacade, _ *http.HandlerFunc) {
			f.send("GET /events/77", editor)
			f.now.Add(int64(10 * time.Minute))
		}, editor, "hit"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newCachedFacade(t, func(o *proxy.Options) { o.Edge = edge.Options{} })
			var write http.HandlerFunc
			var during string
			f.answers(listed(func(w http.ResponseWriter, r *http.Request) { write(w, r) }))
			test.prepare(f, &write)
			f.served()
			f.settled()
			write = func(w http.ResponseWriter, r *http.Request) {
				during = f.served()
				done(w, r)
			}
			f.send("DELETE /events/77", test.writer)
			if during != test.want {
				t.Errorf("%s, want %s", during, test.want)
			}
			if got := f.served(); got != "fetched" {
				t.Errorf("after the write the list is %s", got)
			}
		})
	}
}

// TestAllowOfNeutral: Allow of a backend that is no WordPress, such as another calfacade, has all methods of the path
// and proves nothing of the identity.
func TestAllowOfNeutral(t *testing.T) {
	f := newCachedFacade(t, func(o *proxy.Options) { o.Legacy.Dialect.Dialect = mapping.Neutral })
	var during string
	f.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Allow", "GET, POST")
		if r.Method == http.MethodDelete {
			during = f.served()
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = fmt.Fprint(w, `{"events":[],"rest_url":"http://x/","total":0,"total_pages":0}`)
	})
	f.served()
	f.send("GET /events", invented)
	f.send("DELETE /events/77", invented)
	if during != "hit" {
		t.Errorf("during a write of made-up credentials the list is %s, want hit", during)
	}
}
