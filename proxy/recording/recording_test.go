package recording_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/recording"
	"github.com/google/go-cmp/cmp"
)

const canary = "opensesame"

// sendSecrets sends a secret in every way that there is.
func sendSecrets(b *facadetest.Bench) {
	basic := func(r *http.Request) { r.SetBasicAuth("u", canary) }
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+canary) }
	cookie := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "wordpress_logged_in_x", Value: canary})
		r.Header.Set("X-WP-Nonce", canary)
	}
	b.Get("GET", "/events/1", "", basic)
	b.Get("GET", "/events/2", "", bearer)
	b.Get("GET", "/events/3", "", cookie)
	b.Get("GET", "/events/4?password="+canary, "")
	b.Get("GET", "/events/4?_wpnonce="+canary, "", func(r *http.Request) { r.Header.Set("Authorization", canary) })
	b.Get("DELETE", "/events/5?password="+canary, "")
	b.Get("PUT", "/events/6?password="+canary, `{"title":"T"}`)
}

// TestRecordingHoldsNoSecret: responses to credentials or a password are not recorded, nor what a site
// sends beside its answers to anybody.
func TestRecordingHoldsNoSecret(t *testing.T) {
	b := facadetest.RecordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "x", Value: canary})
		w.Header().Set("X-WP-Nonce", canary)
		w.Header().Set("X-Debug", canary)
		if strings.HasSuffix(r.URL.Path, "/7") {
			w.Header().Set("Location", "https://u:"+canary+"@other.example/x?token="+canary+"#"+canary)
			w.WriteHeader(http.StatusFound)
		}
		proxytest.WriteItem(w, `{"id":5}`)
	}), nil)
	sendSecrets(b)
	b.Get("GET", "/events/6", "")
	b.Get("GET", "/events/7", "")
	if diff := cmp.Diff(recording.Counts{Private: 7, Kept: 2}, b.Making.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	for file, text := range b.Files() {
		for _, secret := range []string{canary, "dTpvcGVuc2VzYW1l", "Authorization", "Cookie:", "Nonce"} {
			if strings.Contains(file+text, secret) {
				t.Errorf("%s holds %s:\n%s", file, secret, text)
			}
		}
	}
}

// TestRecordingIsReplayed: a replay responds as the site did to anonymous reads, with any credentials,
// and to HEAD.
func TestRecordingIsReplayed(t *testing.T) {
	var calls int
	b := facadetest.RecordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("X-Tec-Total", "7")
		proxytest.WriteItem(w, `{"id":5,"title":"%s <b>\u00e9 / \/ & %d"}`, r.Method, calls)
	}), nil)
	anybody := func(*http.Request) {}
	signedIn := func(r *http.Request) { r.SetBasicAuth("u", canary) }
	first := func(status int, body string) string { return fmt.Sprint(status, " ", body) }
	b.Get("GET", "/events/5", "")
	want := first(b.Get("GET", "/events/5", "")) // the latest
	b.Get("GET", "/events/5", "", signedIn)
	b.Get("PUT", "/events/5", `{"title":"A"}`)
	if n := b.Making.Counts(); n != (recording.Counts{Kept: 2, Private: 2}) {
		t.Errorf("%+v", n)
	}
	r := b.Replay()
	for _, identity := range []func(*http.Request){anybody, signedIn} {
		if got := first(r.Get("GET", "/events/5", "", identity)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := first(r.Get("HEAD", "/events/5", "", identity)); got != "200 " {
			t.Errorf("HEAD: %s", got)
		}
		if got := first(r.Get("PUT", "/events/5", `{"title":"A"}`, identity)); !strings.HasPrefix(got, "502 ") {
			t.Errorf("a write: %s", got)
		}
	}
	if got := first(r.Get("GET", "/events/5?password="+canary, "")); got != want {
		t.Errorf("with a password: %s", got)
	}
}

// TestReplayMiss: the response and the log report a call that was not recorded. It is not
// retried, opens no breaker, and its record has no secret.
func TestReplayMiss(t *testing.T) {
	b := facadetest.RecordSite(t, facadetest.Answer(200, `{"id":5}`), nil)
	b.Get("GET", "/events/5", "")
	r := b.Replay()
	for i, test := range []struct{ method, path, body, call string }{
		{"GET", "/events/6?password=" + canary, "", "GET /tribe/events/v1/events/6"},
		{"HEAD", "/events/7", "", "GET /tribe/events/v1/events/7"},
		{"GET", "/events?per_page=2&page=3", "", "GET /tribe/events/v1/events?page=3&per_page=2"},
		{"PUT", "/events/5", `{"title":"` + canary + `"}`, "PUT /tribe/events/v1/events/5"},
	} {
		status, body := r.Get(test.method, test.path, test.body)
		if status != http.StatusBadGateway || test.method != "HEAD" &&
			!strings.HasPrefix(body, `{"code":"calendar_not_recorded","message":"The calendar responds from a recording`) {
			t.Errorf("%s %s: %d %s", test.method, test.path, status, body)
		}
		log := r.Records.Wait(t, i+2)[1:] // the first is of the start
		if len(log) != i+1 {
			t.Fatalf("%d records, want %d: %v", len(log), i+1, log)
		}
		got := log[i]
		if file := fmt.Sprint(got["file"]); !strings.Contains(file, "/en."+strings.Replace(test.method, "HEAD", "GET", 1)+".events.") {
			t.Errorf("file %s", file)
		}
		delete(got, "file")
		if diff := cmp.Diff(map[string]any{"dir": b.Dir, "root": "en", "call": test.call}, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	if status, body := r.Get("GET", "/events/5", ""); status != http.StatusOK {
		t.Errorf("what was recorded: %d %s", status, body)
	}
}

// TestReplayOfPadding: text around the JSON is recorded, and removed again.
func TestReplayOfPadding(t *testing.T) {
	item := facadetest.Answer(200, "\ufeff"+proxytest.Marked(`{"id":5}`))
	b := facadetest.RecordSite(t, facadetest.WithHeader(item, "Content-Type", "application/json"), nil)
	b.Get("GET", "/events/5", "")
	if status, body := b.Replay().Get("GET", "/events/5", ""); status != http.StatusOK || proxytest.Unmarked(body) != `{"id":5}` {
		t.Errorf("got %d %s", status, body)
	}
}

// TestBrokenResponse: a response that was not read to its end is not recorded.
func TestBrokenResponse(t *testing.T) {
	b := facadetest.RecordSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1") {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"title":%q}`, strings.Repeat("x", 2<<20))
	}), nil)
	for _, path := range []string{"/events/1", "/events/2"} {
		if status, _ := b.Get("GET", path, ""); status != http.StatusBadGateway {
			t.Errorf("%s: status %d", path, status)
		}
	}
	if n := b.Making.Counts(); n != (recording.Counts{Broken: 2}) {
		t.Errorf("%+v", n)
	}
}
