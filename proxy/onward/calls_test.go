package onward

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/testwait"
)

// secret is in every target of these tests, and must be nowhere else.
const secret = "0123456789-do-not-log-this-secret-text"

// send delivers a purge to a server, and returns the outcome and what was logged.
func send(t *testing.T, target Target, p cache.Purge) (outcome, string) {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	d := New(zap.New(core))
	target.Name = "front"
	target.Token = secret
	target.Secret = secret
	target.Timeout = testwait.Limit
	c := d.newCourier(Plan{PublicURL: base, Languages: languages, Keys: plainKeys{}}, target, nil)
	defer c.transport.Close()
	b := batch{}
	b.join(single(p, 77<<16, start))
	o := c.deliver(t.Context(), b)
	text := o.reason + fmt.Sprint(c.Status())
	for _, l := range logs.All() {
		text += l.Message + fmt.Sprint(l.ContextMap())
	}
	if strings.Contains(text, secret) || strings.Contains(text, "127.0.0.1:") && strings.Contains(text, "/purge") {
		t.Errorf("a secret or a URL is reported: %s", text)
	}
	return o, text
}

// fastly is the purge API of Fastly as it is documented: up to 256 keys in a header field, a token
// in Fastly-Key, and the identifiers of purges as the response.
func fastly(t *testing.T, purged *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keys := strings.Fields(r.Header.Get("Surrogate-Key"))
		switch {
		case r.Header.Get("Fastly-Key") != secret:
			http.Error(w, `{"msg":"Provided credentials are missing or invalid"}`, http.StatusUnauthorized)
		case r.Method != http.MethodPost || r.URL.Path != "/service/SU1Z0isxPaozGVKXdv0eY/purge":
			http.Error(w, `{"msg":"Record not found"}`, http.StatusNotFound)
		case len(keys) == 0 || len(keys) > 256:
			http.Error(w, `{"msg":"Bad request"}`, http.StatusBadRequest)
		default:
			answer := map[string]string{}
			for _, k := range keys {
				answer[k] = "108-1391560174-974124"
				*purged = append(*purged, k+strings.Repeat(" soft", len(r.Header["Fastly-Soft-Purge"])))
			}
			if err := json.NewEncoder(w).Encode(answer); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestFastly(t *testing.T) {
	var purged []string
	server := httptest.NewServer(fastly(t, &purged))
	defer server.Close()
	target := Target{Kind: Fastly, URL: server.URL, ID: "SU1Z0isxPaozGVKXdv0eY"}
	tags := numbered("events:", 600)
	if o, _ := send(t, target, cache.Purge{Tags: tags}); !o.done || !slices.Equal(purged, tags) {
		t.Errorf("%+v: %d keys purged, want %d", o, len(purged), len(tags))
	}
	purged = nil
	if o, _ := send(t, target, cache.Purge{All: true, Soft: true}); !o.done || !slices.Equal(purged, []string{"all soft"}) {
		t.Errorf("%+v: purged %q", o, purged)
	}
	target.ID = "other"
	if o, _ := send(t, target, cache.Purge{All: true}); !o.refused || o.status != 404 {
		t.Errorf("another service: %+v", o)
	}
}

// cloudflare is the purge API of Cloudflare as it is documented: up to 100 tags in an object, a
// bearer token, and an envelope.
func cloudflare(purged *[]string) http.HandlerFunc {
	const zone = "023e105f4ecef8ad9ca31a8372d0c353"
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Tags []string }
		err := json.NewDecoder(r.Body).Decode(&body)
		answer := `{"success":true,"errors":[],"messages":[],"result":{"id":"` + zone + `"}}`
		code := http.StatusOK
		switch {
		case r.Header.Get("Authorization") != "Bearer "+secret:
			answer = `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[],"result":null}`
			code = http.StatusForbidden
		case r.Method != http.MethodPost || r.URL.Path != "/zones/"+zone+"/purge_cache" ||
			r.Header.Get("Content-Type") != "application/json":
			answer = `{"success":false,"errors":[{"code":7003,"message":"Could not route"}],"messages":[],"result":null}`
			code = http.StatusNotFound
		case err != nil || len(body.Tags) == 0 || len(body.Tags) > 100:
			answer = `{"success":false,"errors":[{"code":1094,"message":"bad request"}],"messages":[],"result":null}`
			code = http.StatusBadRequest
		default:
			*purged = append(*purged, body.Tags...)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, answer)
	}
}

func TestCloudflare(t *testing.T) {
	var purged []string
	server := httptest.NewServer(cloudflare(&purged))
	defer server.Close()
	target := Target{Kind: Cloudflare, URL: server.URL, ID: "023e105f4ecef8ad9ca31a8372d0c353"}
	tags := numbered("events:", 250)
	if o, _ := send(t, target, cache.Purge{Tags: tags}); !o.done || !slices.Equal(purged, tags) {
		t.Errorf("%+v: %d tags purged, want %d", o, len(purged), len(tags))
	}
	purged = nil
	if o, _ := send(t, target, cache.Purge{All: true}); !o.done || !slices.Equal(purged, []string{"all"}) {
		t.Errorf("%+v: purged %q", o, purged)
	}
}

// TestOutcomes: some failures are tried again, and some are not.
func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		kind   Kind
		status int
		body   string
		want   string
	}{
		{Varnish, 200, "", "done"},
		{Varnish, 301, "", "refused"},
		{Varnish, 403, "", "refused"},
		{Varnish, 408, "", "again"},
		{Varnish, 429, "", "again"},
		{Varnish, 503, "", "again"},
		{Cloudflare, 200, `{"success":true}`, "done"},
		{Cloudflare, 200, `{"success":false}`, "again"},
		{Cloudflare, 200, `<html>`, "again"},
		{Nginx, 404, "", "done"},
		{Nginx, 412, "", "done"},
		{Nginx, 405, "", "refused"},
		{Webhook, 204, "", "done"},
		{Webhook, 410, "", "refused"},
	} {
		visited := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			visited++
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}))
		o, _ := send(t, Target{Kind: test.kind, URL: server.URL}, cache.Purge{Tags: []string{"events:1"}})
		server.Close()
		got := "again"
		if o.refused {
			got = "refused"
		} else if o.done {
			got = "done"
		}
		maximum := map[Kind]int{Nginx: 2}[test.kind] + 1
		if got != test.want || visited > maximum {
			t.Errorf("%s %d %s: %s after %d calls, want %s", test.kind, test.status, test.body, got, visited, test.want)
		}
	}
	nobody := Target{Kind: Varnish, URL: "http://127.0.0.1:1/purge"}
	if o, text := send(t, nobody, cache.Purge{All: true}); o.done || o.refused || o.reason == "" {
		t.Errorf("no connection: %+v %s", o, text)
	}
}

// TestWebhook: a receiver can check who sent a notice, and when, and sees what it is about.
func TestWebhook(t *testing.T) {
	var got notice
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		timestamp, _ := strconv.ParseInt(r.Header.Get("Calfacade-Timestamp"), 10, 64)
		age := time.Since(time.Unix(timestamp, 0))
		if err != nil || age < -time.Second || age > 5*time.Minute ||
			r.Header.Get("Calfacade-Signature") != sign(secret, r.Header.Get("Calfacade-Timestamp"), body) {
			t.Errorf("the signature is wrong: %v", r.Header)
		}
		got = notice{}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	target := Target{Kind: Webhook, URL: server.URL}
	send(t, target, cache.Purge{Tags: []string{"en:events", "events:12", "events:any", "events:occurrence", "unknown"}})
	want := notice{
		ID: "5046272", Position: "5046272",
		purges: purges{Time: start, Purges: 1, Tags: []string{"en:events", "events:12", "events:any", "events:occurrence", "unknown"}},
		Items: []changedItem{
			{"list", "event", "", "en", base + "/wp-json/calendar/events/v1/events"},
			{"item", "event", "12", "en", base + "/wp-json/calendar/events/v1/events/12"},
			{"item", "event", "12", "es", base + "/es/wp-json/calendar/events/v1/events/12"},
			{"any", "event", "", "en", ""}, {"any", "event", "", "es", ""},
			{"occurrences", "event", "", "en", ""}, {"occurrences", "event", "", "es", ""},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(notice{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	send(t, target, cache.Purge{All: true})
	want = notice{
		ID:       "5046272",
		Position: "5046272",
		purges:   purges{Time: start, Purges: 1, All: true, Soft: false, Tags: []string{}},
		Replay:   false,
		Items:    []changedItem{},
	}
	if !cmp.Equal(want, got, cmp.AllowUnexported(notice{})) {
		t.Errorf("everything: %+v", got)
	}
	if got := sign("key", "1", []byte("{}")); !regexp.MustCompile(`^v1=[0-9a-f]{64}$`).MatchString(got) ||
		got == sign("key", "2", []byte("{}")) || got == sign("other", "1", []byte("{}")) {
		t.Errorf("signature %q", got)
	}
}

// TestVarnishCalls: keys are split so that each field fits, and a regular expression matches whole
// keys alone.
func TestVarnishCalls(t *testing.T) {
	keys := numbered("events:1234567", 1000)
	var tags []string
	r := Courier{Target: Target{Kind: Varnish}, plan: Plan{Keys: plainKeys{}}}
	for _, c := range r.calls(single(cache.Purge{Tags: keys}, 0, start)) {
		field := c.header.Get("Xkey")
		if len(field) > 6000 || c.method != "PURGE" {
			t.Errorf("%s with %d bytes", c.method, len(field))
		}
		tags = append(tags, strings.Fields(field)...)
	}
	if !slices.Equal(tags, keys) {
		t.Errorf("%d keys, want %d", len(tags), len(keys))
	}
	ban := (Target{Kind: VarnishBan}).keyCall([]string{"a.all", "events:1"}, false)
	pattern := regexp.MustCompile(ban.header.Get("Xkey-Ban"))
	for field, want := range map[string]bool{
		"a.all": true, "aXall": false, "en:events:1": false, "events:1": true, "events:12": false, "x events:1 y": true,
	} {
		if pattern.MatchString(field) != want {
			t.Errorf("the ban of %q: %t", field, !want)
		}
	}
	if ban.method != "BAN" {
		t.Errorf("method %s", ban.method)
	}
}

// TestNginxCalls: nginx purges URLs, of items and of lists without parameters.
func TestNginxCalls(t *testing.T) {
	r := Courier{Target: Target{URL: "http://127.0.0.1:81"}, plan: Plan{PublicURL: base, Languages: languages}}
	urls := func(p cache.Purge) string {
		var paths []string
		for _, c := range r.nginxCalls(single(p, 0, start)) {
			paths = append(paths, c.method+" "+strings.TrimPrefix(c.url, r.URL))
		}
		return strings.Join(paths, "\n")
	}
	want := `PURGE /es/wp-json/calendar/events/v1/events
PURGE /wp-json/calendar/events/v1/events/12
PURGE /es/wp-json/calendar/events/v1/events/12`
	if got := urls(cache.Purge{Tags: []string{"es:events", "events:12", "events:any", "events:occurrence"}}); got != want {
		t.Errorf("got %s", got)
	}
	if got := urls(cache.Purge{All: true}); strings.Count(got, "\n") != 9 ||
		!strings.Contains(got, "PURGE /es/wp-json/calendar/events/v1/tags") {
		t.Errorf("everything: %s", got)
	}
}

// TestBatch: whatever is purged alone is purged by the batch.
func TestBatch(t *testing.T) {
	b := batch{}
	b.join(single(cache.Purge{Tags: []string{"b", "a"}, Soft: true}, 5, start.Add(time.Second)))
	b.join(batch{})
	b.join(single(cache.Purge{Tags: []string{"c", "a"}, Soft: true}, 7, start))
	if !b.Soft || strings.Join(b.Tags, "") != "abc" || b.position != 7 || !b.Time.Equal(start) || b.Purges != 2 {
		t.Errorf("%+v", b)
	}
	b.join(single(cache.Purge{Tags: []string{"d"}}, 0, start))
	if b.Soft || len(b.Tags) != 4 || b.position != 7 {
		t.Errorf("with a hard one: %+v", b)
	}
	b.join(single(cache.Purge{All: true, Soft: true}, 8, start))
	b.join(single(cache.Purge{Tags: []string{"d"}}, 9, start))
	if !b.All || b.Soft || len(b.Tags) > 0 || b.position != 9 {
		t.Errorf("with everything: %+v", b)
	}
}

// TestLetters: letters in memory are bounded, and a letter of everything stands for the rest.
func TestLetters(t *testing.T) {
	c := &Courier{}
	for range 51 {
		c.keep(encode(single(cache.Purge{Tags: []string{"a"}}, 0, start), outcome{refused: true}))
	}
	if l := c.Letters(t.Context()); len(l) != 1 || !l[0].All {
		t.Errorf("%d letters", len(l))
	}
}
