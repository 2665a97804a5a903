package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/proxy/admin"
)

const adminToken = "0123456789abcdef"

// plainSecrets compares secrets without a rate limit.
type plainSecrets struct{}

func (plainSecrets) Check(_ string, _ netip.Addr, secret string, want ...string) (bool, time.Duration) {
	return secret != "" && slices.Contains(want, secret), 0
}

func noAddress(*http.Request) netip.Addr { return netip.Addr{} }

// unshared is the tag of a purge that Redis does not take.
const unshared = "events:503"

// purges is a cache that stores only the purges that it received.
type purges []cache.Purge

func (p *purges) Purge(ctx context.Context, purge cache.Purge) (shared bool) {
	if ctx.Err() != nil {
		return false // such a purge does not reach Redis
	}
	*p = append(*p, purge)
	return !slices.Contains(purge.Tags, unshared)
}

// purgeTest is an admin interface, with its purges and its log.
type purgeTest struct {
	*testing.T
	options options
	purged  purges
	log     bytes.Buffer
}

func newPurgeTest(t *testing.T) *purgeTest {
	p := &purgeTest{T: t}
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	p.options.Options = admin.Options{
		Token: adminToken, Secrets: plainSecrets{}, Client: noAddress,
		Cache: &p.purged,
		Site:  i18n.Languages{{Code: "en", Root: "/wp-json"}, {Code: "es", Root: "/es/wp-json"}},
		Log:   zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&p.log), zap.DebugLevel)),
	}
	return p
}

func (p *purgeTest) request(body string) *http.Request {
	r := httptest.NewRequestWithContext(p.Context(), http.MethodPost, "/purge", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+adminToken)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// send returns the recorded response, and its body without the line end.
func (p *purgeTest) send(r *http.Request) (*httptest.ResponseRecorder, string) {
	p.Helper()
	w := httptest.NewRecorder()
	newAdmin(p.options).ServeHTTP(w, r)
	if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
		p.Errorf("Content-Type %q", got)
	}
	for _, secret := range []string{adminToken, "opensesame"} {
		if strings.Contains(w.Body.String(), secret) || strings.Contains(p.log.String(), secret) {
			p.Errorf("a secret is shown: %s %s", w.Body, p.log.String())
		}
	}
	return w, strings.TrimSuffix(w.Body.String(), "\n")
}

func TestPurge(t *testing.T) {
	for _, test := range []struct {
		body  string
		want  cache.Purge
		sites []string // of the languages; nil: one
	}{
		{body: `{"all":true}`, want: cache.Purge{All: true}},
		{body: `{"all":true,"soft":true}`, want: cache.Purge{All: true, Soft: true}},
		{body: `{"tags":["events:12"],"soft":false}`, want: cache.Purge{Tags: []string{"events:12"}}},
		{body: `{"tags":["es:events","venues:any","es:events"],"all":false}`, want: cache.Purge{Tags: []string{"es:events", "venues:any"}}},
		{ // the previous form of tags of items
			body: `{"tags":["es:events:12","en:events:12","en:venues:any"]}`,
			want: cache.Purge{Tags: []string{"events:12", "venues:any"}},
		},
		{
			body: `{"type":"event","id":12,"language":"es"}`,
			want: cache.Purge{Tags: []string{"en:events", "es:events", "events:12", "events:occurrence"}},
		},
		{
			body: `{"type":"category","id":3,"soft":true}`,
			want: cache.Purge{Soft: true, Tags: []string{"categories:3", "en:categories", "es:categories"}},
		},
		{ // a language without a root is served by another's
			body: `{"type":"venue","id":5,"language":"fr"}`,
			want: cache.Purge{Tags: []string{"en:venues", "es:venues", "venues:5"}},
		},
		{
			body:  `{"type":"tag","id":7,"language":"es"}`,
			sites: []string{"", "other"},
			want:  cache.Purge{Tags: []string{"es:tags", "es:tags:7"}},
		},
		{
			body:  `{"type":"tag","id":7,"language":"fr"}`,
			sites: []string{"", "other"},
			want:  cache.Purge{Tags: []string{"en:tags", "en:tags:7", "es:tags", "es:tags:7"}},
		},
		{
			body:  `{"tags":["events:12","es:events"]}`,
			sites: []string{"", "other"},
			want:  cache.Purge{Tags: []string{"en:events:12", "es:events", "es:events:12"}},
		},
		{
			body: `{"objects":[{"type":"event","id":12,"language":"es"},{"type":"organizer","id":9,"language":"en"},{"type":"event",` +
				`"id":13,"language":"es"}]}`,
			want: cache.Purge{Tags: []string{
				"en:events", "en:organizers", "es:events", "es:organizers", "events:12", "events:13", "events:occurrence", "organizers:9",
			}},
		},
		{
			body: `{"type":"event","any":true,"language":"es"}`,
			want: cache.Purge{Tags: []string{"en:events", "es:events", "events:any", "events:occurrence"}},
		},
		{
			body: `{"objects":[{"type":"venue","any":true},{"type":"event","any":false,"id":12,"language":"es"}]}`,
			want: cache.Purge{Tags: []string{"en:events", "en:venues", "es:events", "es:venues", "events:12", "events:occurrence",
				"venues:any"}},
		},
	} {
		p := newPurgeTest(t)
		for i, site := range test.sites {
			p.options.Site[i].Site = site
		}
		checkPurged(p, test.body, test.want)
	}
}

// checkPurged sends a body, and fails the test unless want was purged, returned and logged.
func checkPurged(p *purgeTest, body string, want cache.Purge) {
	p.Helper()
	w, answer := p.send(p.request(body))
	want.From = "http"
	diff := cmp.Diff(purges{want}, p.purged)
	if w.Code != http.StatusOK || diff != "" {
		p.Errorf("%s: status %d %s (-want +got):\n%s", body, w.Code, answer, diff)
	}
	var response struct{ Purged []string }
	if err := json.Unmarshal([]byte(answer), &response); err != nil {
		p.Errorf("%s: %v", body, err)
	}
	tags := want.Tags
	if want.All {
		tags = []string{"*"}
	}
	if diff := cmp.Diff(tags, response.Purged); diff != "" {
		p.Errorf("%s: returned (-want +got):\n%s", body, diff)
	}
	if !strings.Contains(p.log.String(), `"msg":"purge","client":"192.0.2.1"`) {
		p.Errorf("%s: logged %s", body, p.log.String())
	}
}

// TestPurgeUnshared: the status says that other instances do not know a purge yet.
func TestPurgeUnshared(t *testing.T) {
	p := newPurgeTest(t)
	if w, body := p.send(p.request(`{"tags":["` + unshared + `"]}`)); w.Code != http.StatusAccepted || len(p.purged) != 1 {
		t.Errorf("%d %s, purged %v", w.Code, body, p.purged)
	}
}

// TestPurgeClientDisconnects: WordPress does not wait for the response.
func TestPurgeClientDisconnects(t *testing.T) {
	p := newPurgeTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := p.request(`{"all":true}`).WithContext(ctx)
	cancel()
	p.send(r)
	if len(p.purged) != 1 {
		t.Error("nothing was purged")
	}
}

func TestPurgeRefused(t *testing.T) {
	change := func(f func(*http.Request)) func(*purgeTest, *http.Request) {
		return func(_ *purgeTest, r *http.Request) { f(r) }
	}
	authorization := func(value string) func(*purgeTest, *http.Request) {
		return change(func(r *http.Request) { r.Header.Set("Authorization", value) })
	}
	for name, test := range map[string]struct {
		change func(*purgeTest, *http.Request)
		want   string
		header string // that the response must have
	}{
		"no token configured": {change: func(p *purgeTest, _ *http.Request) { p.options.Token = "" }, want: "404 purge_off"},
		"no token configured or sent": {change: func(p *purgeTest,
			r *http.Request) {
			p.options.Token = ""
			r.Header.Del("Authorization")
		}, want: "404 purge_off"},
		"no token": {change: change(func(r *http.Request) { r.Header.Del("Authorization") }),
			want: "401 unauthorized", header: "WWW-Authenticate"},
		"empty token":         {change: authorization("Bearer "), want: "401 unauthorized"},
		"another token":       {change: authorization("Bearer opensesame"), want: "401 unauthorized"},
		"a part of the token": {change: authorization("Bearer " + adminToken[:15]), want: "401 unauthorized"},
		"more than the token": {change: authorization("Bearer " + adminToken + "x"), want: "401 unauthorized"},
		"another scheme":      {change: authorization("Basic " + adminToken), want: "401 unauthorized"},
		"no scheme":           {change: authorization(adminToken), want: "401 unauthorized"},
		"a form": {change: change(func(r *http.Request) {
			r.Header.Set("Content-Type",
				"application/x-www-form-urlencoded")
		}), want: "415 unsupported_media_type"},
		"no type": {change: change(func(r *http.Request) { r.Header.Del("Content-Type") }),
			want: "415 unsupported_media_type"},
		"form without a token": {change: change(func(r *http.Request) { r.Header = http.Header{} }), want: "401 unauthorized"},
		"scheme in lower case": {change: authorization("bearer " + adminToken), want: "200 "},
		"type with a parameter": {change: change(func(r *http.Request) {
			r.Header.Set("Content-Type",
				"application/json; charset=utf-8")
		}), want: "200 "},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPurgeTest(t)
			r := p.request(`{"all":true}`)
			test.change(p, r)
			w, body := p.send(r)
			checkRefusal(t, p, w.Code, body, test.want)
			if test.header != "" && w.Header().Get(test.header) == "" {
				t.Errorf("no %s", test.header)
			}
		})
	}
}

func TestPurgeBadBody(t *testing.T) {
	for body, want := range map[string]string{
		``:                                    "400 invalid_purge",
		`null`:                                "400 invalid_purge",
		`[]`:                                  "400 invalid_purge",
		`{}`:                                  "400 invalid_purge",
		`{"all":true`:                         "400 invalid_purge",
		`{"all":true}{}`:                      "400 invalid_purge",
		`{"all":true,"all":1}`:                "400 invalid_purge",
		`{"all":false}`:                       "400 invalid_purge",
		`{"all":"opensesame"}`:                "400 invalid_purge",
		`{"opensesame":true}`:                 "400 invalid_purge",
		`{"soft":true}`:                       "400 invalid_purge",
		`{"tags":[]}`:                         "400 invalid_purge",
		`{"tags":null}`:                       "400 invalid_purge",
		`{"tags":"en:events"}`:                "400 invalid_purge",
		`{"tags":["de:events"]}`:              "400 invalid_purge",
		`{"tags":["events:12\nen:venues"]}`:   "400 invalid_purge",
		`{"tags":["en:events","opensesame"]}`: "400 invalid_purge",
		`{"tags":["en:events"],"all":true}`:   "400 invalid_purge",
		`{"tags":["en:events"],"type":"event","id":12}`:             "400 invalid_purge",
		`{"tags":["en:events"],"language":"es"}`:                    "400 invalid_purge",
		`{"type":"event"}`:                                          "400 invalid_purge",
		`{"id":12}`:                                                 "400 invalid_purge",
		`{"type":"events","id":12}`:                                 "400 invalid_purge",
		`{"type":"opensesame","id":12}`:                             "400 invalid_purge",
		`{"type":"event","id":0}`:                                   "400 invalid_purge",
		`{"type":"event","id":-12}`:                                 "400 invalid_purge",
		`{"type":"event","id":1.5}`:                                 "400 invalid_purge",
		`{"type":"event","id":"12"}`:                                "400 invalid_purge",
		`{"type":"event","id":12,"any":true}`:                       "400 invalid_purge",
		`{"type":"event","any":false}`:                              "400 invalid_purge",
		`{"any":true}`:                                              "400 invalid_purge",
		`{"any":true,"all":true}`:                                   "400 invalid_purge",
		`{"objects":[]}`:                                            "400 invalid_purge",
		`{"objects":[{}]}`:                                          "400 invalid_purge",
		`{"objects":[{"type":"event","id":1}],"id":2}`:              "400 invalid_purge",
		`{"objects":[{"type":"event","id":1,"x":2}]}`:               "400 invalid_purge",
		`{"all":true,"soft":"` + strings.Repeat("x", 64<<10) + `"}`: "413 content_too_large",
	} {
		p := newPurgeTest(t)
		w, got := p.send(p.request(body))
		t.Run(body[:min(len(body), 60)], func(t *testing.T) { checkRefusal(t, p, w.Code, got, want) })
	}
}

// TestPurgeLargest: a body of the maximum size is accepted.
func TestPurgeLargest(t *testing.T) {
	p := newPurgeTest(t)
	body := `{"all":true}`
	body += strings.Repeat(" ", 64<<10-len(body))
	if w, got := p.send(p.request(body)); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, got)
	}
}

// checkRefusal checks status, code and message, and that only a 200 purges.
func checkRefusal(t *testing.T, p *purgeTest, status int, body, want string) {
	t.Helper()
	var refusal struct{ Code, Message string }
	if err := json.Unmarshal([]byte(body), &refusal); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if got := fmt.Sprintf("%d %s", status, refusal.Code); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if status == http.StatusOK {
		return
	}
	if refusal.Message == "" || len(p.purged) > 0 {
		t.Errorf("message %q, purged %v", refusal.Message, p.purged)
	}
	if status != http.StatusNotFound && !strings.Contains(p.log.String(), `"client":"192.0.2.1"`) {
		t.Errorf("logged %s", p.log.String())
	}
}

// TestPurgeInvalidates: a purge over HTTP invalidates entries of the real cache.
func TestPurgeInvalidates(t *testing.T) {
	store := cache.New(cache.Options{})
	defer store.Close()
	p := newPurgeTest(t)
	p.options.Cache = store
	get := func() cache.How {
		r, err := store.Serve(t.Context(), true, "k", func(context.Context, cache.Reason) (cache.Fetched, error) {
			e := &cache.Entry{Status: 200, Body: []byte("b"), Tags: []string{"es:events", "events:12"},
				Life: cache.Life{Fresh: 1 << 40, StaleWhileRevalidate: 1 << 40}}
			return cache.Fetched{Entry: e, Store: true, Share: true}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.How
	}
	got := []cache.How{get(), get()}
	for _, body := range []string{
		`{"type":"venue","id":12}`, `{"type":"event","id":12,"language":"en"}`, `{"all":true}`, `{"tags":["es:events"],"soft":true}`,
	} {
		p.send(p.request(body))
		got = append(got, get())
	}
	want := []cache.How{cache.Miss, cache.Hit, cache.Hit, cache.Miss, cache.Miss, cache.Stale}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPurgeToken: the token of the site purges, with or without the admin token, and does nothing else.
func TestPurgeToken(t *testing.T) {
	const purgeToken = "fedcba9876543210"
	for _, token := range []string{adminToken, ""} {
		p := newPurgeTest(t)
		p.options.Token, p.options.PurgeToken = token, purgeToken
		a := newAdmin(p.options)
		for target, want := range map[string]bool{"POST /purge": true, "POST /purge/replay": false,
			"GET /staging": false, "POST /staging": false} {
			method, path, _ := strings.Cut(target, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(`{"all":true}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+purgeToken)
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			if got := w.Code == http.StatusOK; got != want {
				t.Errorf("admin token %q: %s: status %d: %s", token, target, w.Code, w.Body)
			}
		}
		if len(p.purged) != 1 {
			t.Errorf("purged %v", p.purged)
		}
	}
}
