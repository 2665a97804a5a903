package legacyclients_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/calfacade/calfacade/proxy/legacyclients"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"github.com/google/go-cmp/cmp"
)

// linkedEvent responds with an event that has a link to itself below the root of the request.
func linkedEvent(title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		root, _, _ := strings.Cut(r.URL.Path, "/tribe/")
		w.Header().Set("X-TEC-Total", "1")
		w.Header().Set("X-TEC-TotalPages", "1")
		event := fmt.Sprintf(`{"id":5,"url":"","rest_url":"http:\/\/%s%s\/tribe\/events\/v1\/events\/5","title":%q}`, r.Host,
			strings.ReplaceAll(root, "/", `\/`), title)
		if strings.HasSuffix(r.URL.Path, "/events") {
			event = fmt.Sprintf(`{"events":[%s],"rest_url":"http:\/\/%s\/wp-json\/tribe\/events\/v1\/events\/?page=1&`+
				`start_date=2026-11-20 00:00:00","total":1,"total_pages":1}`, event, r.Host)
		}
		_, _ = io.WriteString(w, event)
	}
}

const legacyEvent = facadetest.PublicURL + `/wp-json/tribe/events/v1/events/5`

// TestEntriesOfBothNamespaces: each namespace has entries of its own, with its names and validators.
func TestEntriesOfBothNamespaces(t *testing.T) {
	f := facadetest.NewCachedFacade(t, facadetest.InLegacyNames)
	f.Answers(linkedEvent(strings.Repeat("long ", 500)))
	neutral, neutralBody := f.Send("GET /events/5")
	f.SendLegacy("GET /wp-json/tribe/events/5")
	res, body := f.SendLegacy("GET /wp-json/tribe/events/5")
	if f.Calls.Load() != 2 || !strings.Contains(res.Header.Get("Cache-Status"), "; hit") {
		t.Errorf("%d calls, %s", f.Calls.Load(), res.Header.Get("Cache-Status"))
	}
	if !strings.Contains(body, strings.ReplaceAll(legacyEvent, "/", `\/`)) || strings.Contains(body, "calendar") {
		t.Errorf("body %s", body[:200])
	}
	if strings.Contains(neutralBody, "tribe") {
		t.Errorf("neutral body %s", neutralBody[:200])
	}
	etag := neutral.Header.Get("Etag")
	tag := res.Header.Get("Etag")
	if etag == tag || tag == "" {
		t.Errorf("ETag %s and %s", etag, tag)
	}
	for _, test := range []struct {
		match string
		want  int
	}{{tag, 304}, {"W/" + tag, 304}, {strings.TrimSuffix(tag, `"`) + `-gzip"`, 304}, {etag, 200}, {"*", 304}} {
		if res, _ := f.SendLegacy("GET /wp-json/tribe/events/5", "If-None-Match: "+test.match); res.StatusCode != test.want ||
			res.Header.Get("Link") == "" {
			t.Errorf("%s: %d, want %d", test.match, res.StatusCode, test.want)
		}
	}
	if res, _ := f.Send("GET /events/5", "If-None-Match: "+tag); res.StatusCode != http.StatusOK {
		t.Errorf("the neutral form for the legacy's validator: %d", res.StatusCode)
	}
	res, _ = f.SendLegacy("GET /wp-json/tribe/events/5", "Accept-Encoding: gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Etag") != strings.TrimSuffix(tag, `"`)+`-gzip"` {
		t.Errorf("compressed: %v", res.Header)
	}
	if head, _ := f.SendLegacy("HEAD /wp-json/tribe/events/5"); head.ContentLength != int64(len(body)) || head.Header.Get("Etag") != tag {
		t.Errorf("HEAD: %v", head.Header)
	}
	if f.Calls.Load() != 2 {
		t.Errorf("%d calls", f.Calls.Load())
	}
}

// TestLegacyNames: requests in the legacy's names are the table's requests, and responses have
// the legacy's header fields and announcements.
func TestLegacyNames(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		o.LegacyClients.Deprecated = facadetest.Start
		o.LegacyClients.Sunset = facadetest.Start.AddDate(0, 6, 0)
		o.Unknown = mapping.Reject
	})
	var target string
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		target = r.Method + " " + r.URL.RequestURI()
		linkedEvent("old")(w, r)
	})
	for _, test := range []struct{ line, called, successor string }{
		{"GET /wp-json/tribe/events?search=a&none=1&i18n_language=es", "GET /wp-json/tribe/events/v1/events?search=a",
			"/wp-json/calendar/events/v1/events/?page=1&search=a"},
		{"GET /wp-json/tribe/EVENTS/?wpml%5Flanguage=es&page=2", "GET /es/wp-json/tribe/events/v1/events?page=2&wpml_language=es",
			"/es/wp-json/calendar/events/v1/events/?page=2"},
		{"GET /es/wp-json/tribe/events/7", "GET /es/wp-json/tribe/events/v1/events/7", "/es/wp-json/calendar/events/v1/events/7"},
		{`POST /wp-json/tribe/venues {"venue":"Hall","wpml_language":"es"}`,
			"POST /es/wp-json/tribe/events/v1/venues?wpml_language=es", "/es/wp-json/calendar/events/v1/venues"},
	} {
		target = ""
		res, body := f.SendLegacy(test.line)
		if got, _, _ := strings.Cut(target, "&strict"); got != test.called && !strings.HasPrefix(target, test.called) {
			t.Errorf("%s: asked %s, want %s: %s", test.line, target, test.called, body)
		}
		links := strings.Join(res.Header.Values("Link"), " ")
		if !strings.HasSuffix(links, `<`+facadetest.PublicURL+test.successor+`>; rel="successor-version"`) ||
			!strings.HasPrefix(links, "<"+facadetest.PublicURL) {
			t.Errorf("%s: Link %s", test.line, links)
		}
		if got := res.Header.Get("Deprecation") + " " + res.Header.Get("Sunset"); got != "@1795255200 Fri, 21 May 2027 10:00:00 GMT" {
			t.Errorf("%s: %s", test.line, got)
		}
	}
	res, _ := f.SendLegacy("GET /wp-json/tribe/events")
	if res.Header.Get("X-TEC-Total") != "1" || res.Header.Get("X-WP-Total")+res.Header.Get("X-Calendar-Total") != "" {
		t.Errorf("header %v", res.Header)
	}
	if res, _ := f.SendLegacy("GET /wp-json/tribe/events?_fields=total"); res.Header.Get("Etag") == "" {
		t.Errorf("_fields: %v", res.Header)
	} else if _, body := f.SendLegacy("GET /wp-json/tribe/events?_fields=total"); body != `{"total":1}` {
		t.Errorf("_fields: %s", body)
	}
}

// TestLegacyRefusals has errors in the legacy's names and form.
func TestLegacyRefusals(t *testing.T) {
	f := facadetest.NewCachedFacade(t, facadetest.InLegacyNames)
	for line, want := range map[string]string{
		"GET /wp-json/tribe/events?wpml_language=xx": `400 {"code":"rest_invalid_param","message":"Invalid parameter(s): ` +
			`wpml_language","data":{"status":400,"params":{"wpml_language":"wpml_language is not one of en, fr, de, and es."},` +
			`"details":{"wpml_language":{"code":"rest_not_in_enum","message":"wpml_language is not one of en, fr, de, and es.",` +
			`"data":null}}}}`,
		"GET /wp-json/tribe/events?page=0": `400 {"code":"rest_invalid_param","message":"Invalid parameter(s): ` +
			`page","data":{"status":400,"params":{"page":"Invalid parameter."},"details":[]}}`,
		"DELETE /wp-json/tribe/events":                       `404 {"code":"rest_no_route"`,
		"GET /wp-json/tribe/nope":                            `404 {"code":"rest_no_route"`,
		"GET /wp-json/tribe/docs":                            `404 {"code":"rest_no_route"`,
		"GET /wp-json/tribe/events/5?id=6":                   `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events/5?%69d[]=6":               `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events/5?_envelope":              `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events?rest_route=/wp/v2/users":  `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events?_jsonp=x":                 `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events/5?_method=DELETE":         `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events/by-slug/a?slug=b":         `400 {"code":"calendar_legacy_argument"`,
		"GET /wp-json/tribe/events/5?context=edit":           `400 {"code":"calendar_legacy_argument"`,
		"DELETE /wp-json/tribe/events/5?_method=PUT":         `400 {"code":"calendar_legacy_argument"`,
		`PUT /wp-json/tribe/events/5 {"_method":"DELETE"}`:   `400 {"code":"rest_invalid_param","message":"Invalid parameter(s): _method"`,
		`PUT /wp-json/tribe/events/5 {"id":6,"title":"T"}`:   `400 {"code":"calendar_legacy_argument"`,
		`PUT /wp-json/tribe/events/5 {"id":[5],"title":"T"}`: `400 {"code":"calendar_legacy_argument"`,
		`POST /wp-json/tribe/events {"title":"T","author":[]}`: `400 {"code":"rest_missing_callback_param","message":"Missing ` +
			`parameter(s): start_date, end_date","data":{"status":400,"params":["start_date","end_date"]}}`,
	} {
		res, body := f.SendLegacy(line)
		if got := fmt.Sprint(res.StatusCode, " ", body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		if len(res.Header.Values("Link")) != 2 {
			t.Errorf("%s: Link %q", line, res.Header.Values("Link"))
		}
	}
	if n := f.Calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}
	if res, _ := f.SendLegacy("GET /wp-json/tribe/events/5?id=5"); res.StatusCode != http.StatusOK {
		t.Errorf("the same id beside the path: %d", res.StatusCode)
	}
	if res, body := f.SendLegacy("POST /wp-json/tribe/events/6",
		"X-HTTP-Method-Override: GET"); res.StatusCode != http.StatusBadRequest ||
		!strings.Contains(body, `{"X-HTTP-Method-Override":"X-HTTP-Method-Override is not one of`) {
		t.Errorf("POST that means GET: %d %s", res.StatusCode, body)
	} else if len(res.Header.Values("Link")) != 2 { // is refused before it is routed
		t.Errorf("POST that means GET: Link %q", res.Header.Values("Link"))
	}
	if res, _ := f.SendLegacy("GET /wp-json/tribe/events/5", "X-HTTP-Method-Override: DELETE"); res.StatusCode != http.StatusOK {
		t.Errorf("GET with the field of a POST: %d", res.StatusCode)
	}
}

// TestLegacyOff: a resource that is off is refused in both forms, hits too, and a reload is not needed
// for a brownout to begin and end.
func TestLegacyOff(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		o.LegacyClients.Off = []string{"tags"}
		o.LegacyClients.Brownouts = []legacyclients.Brownout{{From: facadetest.Start.Add(time.Minute), To: facadetest.Start.Add(2 * time.Minute),
			Percent: 100, Resources: []string{"events"}}}
	})
	const refusal = `{"code":"calendar_legacy_off","message":"The calendar is no longer served under these names. The same is at `
	res, body := f.SendLegacy("DELETE /es/wp-json/tribe/tags/7")
	link := strings.ReplaceAll(facadetest.PublicURL+"/es/wp-json/calendar/events/v1/tags/7", "/", `\/`)
	if res.StatusCode != http.StatusGone || !strings.Contains(body, `"successor":"`+link+`"`) ||
		res.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	if res, body := f.SendLegacy("GET /wp-json/tribe/tags",
		"Accept: application/problem+json"); res.Header.Get("Content-Type") != "application/problem+json" ||
		!strings.Contains(body, `"successor":"`+facadetest.PublicURL+`/wp-json/calendar/events/v1/tags/?`) {
		t.Errorf("%v %s", res.Header, body)
	}
	for line, want := range map[string]string{ // with all filters of the client, except refused ones
		"GET /es/wp-json/tribe/tags?search=a&x=1&per_page=5":        "/es/wp-json/calendar/events/v1/tags/?page=1&per_page=5&search=a",
		"GET /wp-json/tribe/tags?wpml_language=es&include=3":        "/es/wp-json/calendar/events/v1/tags/?include=3&page=1",
		"GET /wp-json/tribe/tags?page=0":                            "/wp-json/calendar/events/v1/tags",
		"GET /wp-json/tribe/tags/7?password=secret&_wpnonce=secret": "/wp-json/calendar/events/v1/tags/7",
		"POST /wp-json/tribe/tags":                                  "/wp-json/calendar/events/v1/tags",
		"OPTIONS /wp-json/tribe/tags/7":                             "/wp-json/calendar/events/v1/tags/7",
	} {
		for range 2 {
			res, body := f.SendLegacy(line)
			link := strings.Join(res.Header.Values("Link"), " ")
			if res.StatusCode != http.StatusGone ||
				!strings.Contains(body, `"successor":"`+strings.ReplaceAll(facadetest.PublicURL+want, "/", `\/`)+`"`) ||
				!strings.HasSuffix(link, facadetest.PublicURL+want+`>; rel="successor-version"`) {
				t.Errorf("%s: %d %s %s", line, res.StatusCode, body, link)
			}
		}
	}
	if res, _ := f.Send("GET /tags"); res.StatusCode == http.StatusGone {
		t.Error("the neutral namespace is off")
	}
	for i, want := range []int{200, 200, 410, 410, 200} { // the second is a hit of a known target, and so are those after it
		if i == 2 || i == 4 {
			f.Pass(time.Minute)
		}
		if res, body := f.SendLegacy("GET /wp-json/tribe/events/5"); res.StatusCode != want ||
			want == 410 && !strings.HasPrefix(body, refusal) {
			t.Errorf("request %d: %d %s", i, res.StatusCode, body)
		}
	}
}

// TestLegacyNamesOfACandidate: whichever backend responds, its response has the legacy's names.
func TestLegacyNamesOfACandidate(t *testing.T) {
	f := facadetest.NewStagedFacade(t, facadetest.Everywhere(staging.New), staging.Rollback{}, func(o *proxy.Options) {
		facadetest.Unwatched(o)
		facadetest.InLegacyNames(o)
	})
	f.NewSite.Says(func(w http.ResponseWriter, r *http.Request) {
		proxytest.WriteItem(w, `{"id":5,"rest_url":"http://%s/es/wp-json/calendar/events/v1/events/5?i18n_language=es","title":"new",`+
			`"categories":[{"taxonomy":"calendar_events_cat"}]}`, r.Host)
	})
	const want = `{"id":5,"rest_url":"` + facadetest.PublicURL +
		`/es/wp-json/tribe/events/v1/events/5?wpml_language=es","title":"new","categories":[{"taxonomy":"tribe_events_cat"}]}`
	if _, body := f.SendLegacy("GET /es/wp-json/tribe/events/5"); proxytest.Unmarked(body) != want {
		t.Errorf("got %s, want %s", body, want)
	}
	if _, body := f.SendLegacy("GET /es/wp-json/tribe/events/5", "Authorization: Basic YTpi"); proxytest.Unmarked(body) != want {
		t.Errorf("with credentials: got %s, want %s", body, want)
	}
	if f.Calls.Load() != 0 {
		t.Error("the legacy was called")
	}
}

// TestLegacyConditions: a write holds for the validator that a client of the legacy's names
// has.
func TestLegacyConditions(t *testing.T) {
	f := facadetest.NewCachedFacade(t, facadetest.InLegacyNames)
	f.Answers(linkedEvent("old"))
	res, _ := f.SendLegacy("GET /wp-json/tribe/events/5", "Authorization: Basic YTpi")
	neutral, _ := f.Send("GET /events/5")
	for match, want := range map[string]int{res.Header.Get("Etag"): 200, neutral.Header.Get("Etag"): 412} {
		if got, body := f.SendLegacy("DELETE /wp-json/tribe/events/5", "If-Match: "+match,
			"Authorization: Basic YTpi"); got.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", match, got.StatusCode, body, want)
		}
	}
}

// TestLegacyDescriptions: the index, the documentation and OPTIONS are the legacy's own, asked
// for without anything of the client, and cached.
func TestLegacyDescriptions(t *testing.T) {
	f := facadetest.NewCachedFacade(t, facadetest.InLegacyNames)
	var targets []string
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		targets = append(targets, r.Method+" "+r.URL.RequestURI())
		w.Header().Set("Allow", "GET")
		_, _ = fmt.Fprintf(w, `{"a":"http:\/\/%s\/es\/wp-json\/tribe\/events\/v1\/x","b":"http:\/\/%[1]s\/wp-json\/wp\/v2",`+
			`"routes":{},"endpoints":[]}`, r.Host)
	})
	for range 2 {
		for _, line := range []string{"GET /wp-json/tribe?context=help&x=1", "GET /es/wp-json/tribe/doc",
			"OPTIONS /wp-json/tribe/events/999", "OPTIONS /wp-json/tribe/events/5"} {
			res, body := f.SendLegacy(line)
			if res.StatusCode != http.StatusOK || !strings.HasPrefix(body,
				`{"a":"`+strings.ReplaceAll(facadetest.PublicURL, "/", `\/`)+`\/es\/wp-json\/tribe\/events\/v1\/x","b":"http:\/\/127`) ||
				res.Header.Get("Allow") != "GET" {
				t.Errorf("%s: %d %s", line, res.StatusCode, body)
			}
		}
	}
	const want = "GET /wp-json/tribe/events/v1?context=help, GET /es/wp-json/tribe/events/v1/doc, OPTIONS /wp-json/tribe/events/v1/events/1"
	if got := strings.Join(targets, ", "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	f.Answers(facadetest.Answer(http.StatusInternalServerError, "{}"))
	if res, _ := f.SendLegacy("GET /wp-json/tribe/doc"); res.StatusCode != http.StatusBadGateway {
		t.Errorf("of a site that fails: %d", res.StatusCode)
	}
}

// TestLegacyDescriptionsOfAWall: JSON that is no description is a fault of the site, and not stored.
func TestLegacyDescriptionsOfAWall(t *testing.T) {
	f := facadetest.NewCachedFacade(t, facadetest.InLegacyNames)
	for _, wall := range []string{`{"message":"Access denied"}`, `{"code":"internal_server_error","data":{"status":500}}`, `[]`,
		`{}`, `null`} {
		f.Answers(facadetest.Answer(http.StatusOK, wall))
		for _, line := range []string{"GET /wp-json/tribe", "GET /es/wp-json/tribe/doc", "OPTIONS /wp-json/tribe/events",
			"OPTIONS /wp-json/tribe/tags/5"} {
			if res, body := f.SendLegacy(line); res.StatusCode != http.StatusBadGateway {
				t.Errorf("%s, %s: %d %s", line, wall, res.StatusCode, body)
			}
		}
	}
}

// TestLegacyDescriptionsOfAClosedSite: a client whose credentials open the site gets a description of its
// own, and nobody else does. Wrong ones count as in every other request.
func TestLegacyDescriptionsOfAClosedSite(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		o.Edge.SignIns = edge.Quota{Requests: 2, Window: time.Hour}
	})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Basic YTpi" {
			facadetest.Answer(http.StatusUnauthorized, `{"code":"rest_not_logged_in","message":"m","data":{"status":401}}`)(w, r)
			return
		}
		facadetest.Answer(http.StatusOK, `{"routes":{},"endpoints":[]}`)(w, r)
	})
	for _, line := range []string{"GET /wp-json/tribe", "GET /es/wp-json/tribe/doc", "OPTIONS /wp-json/tribe/events"} {
		for _, test := range []struct {
			fields []string
			want   int
		}{{nil, 401}, {[]string{"Authorization: Basic YTpi"}, 200}, {nil, 401}} {
			res, body := f.SendLegacy(line, test.fields...)
			if res.StatusCode != test.want || test.want == 200 && res.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s %s: %d %s %s", line, test.fields, res.StatusCode, res.Header.Get("Cache-Control"), body)
			}
		}
	}
	var last int
	for range 3 {
		res, _ := f.SendLegacy("GET /wp-json/tribe", "Authorization: Basic eDp5")
		last = res.StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("after wrong credentials: %d", last)
	}
}

// TestLegacyHitsAreNotInTheLane: the lane, which knows neutral heads alone, leaves them to
// net/http.
func TestLegacyHitsAreNotInTheLane(t *testing.T) {
	s := facadetest.NewLaneSide(t, facadetest.NewLaneSite(t), true, func(o *proxy.Options, _ *http.Server) { facadetest.InLegacyNames(o) })
	for i := range 4 {
		handled := s.Handled.Load()
		res, err := http.Get("http://" + s.Address + "/wp-json/tribe/events/v1/events?per_page=7")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.Header.Get("X-TEC-Total") != "1" || res.Header.Get("Link") == "" || s.Handled.Load() != handled+1 {
			t.Errorf("request %d: %v", i, res.Header)
		}
	}
}

// TestLegacyClientsAreCounted: by family, network, resource and method, and nothing else.
func TestLegacyClientsAreCounted(t *testing.T) {
	var metrics *telemetry.Metrics
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		o.LegacyClients.Off = []string{"tags"}
		metrics = o.Metrics
	})
	f.SendLegacy("GET /wp-json/tribe/events/5", "User-Agent: WordPress/6.8; https://secret.example")
	f.SendLegacy("GET /wp-json/tribe/events/5", "User-Agent: WordPress/6.7; https://other.example")
	f.SendLegacy("GET /wp-json/tribe/tags", "User-Agent: secret app")
	f.Send("GET /events/5")
	uses, dropped := metrics.LegacyUses(5)
	var got []string
	for _, u := range uses {
		got = append(got, fmt.Sprint(u.Family, " ", u.Prefix, " ", u.Resource, " ", u.Method, " ", u.Requests, " ", u.Refused))
	}
	const want = "wordpress 127.0.0.0/24 events get 2 0, other 127.0.0.0/24 tags get 1 1"
	if strings.Join(got, ", ") != want || dropped != 0 {
		t.Errorf("got %q and %d more, want %s", got, dropped, want)
	}
}

// TestWithoutLegacyClients: there is no other namespace, and entries have nothing for it.
func TestWithoutLegacyClients(t *testing.T) {
	f := facadetest.NewCachedFacade(t, nil)
	if res, _ := f.SendLegacy("GET /wp-json/tribe/events/5"); res.StatusCode != http.StatusNotFound ||
		strings.Contains(res.Header.Get("Link"), "successor") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

// TestNeutralNamesAlone: the neutral namespace is the same whether the legacy's is served or not:
// its index, its documents, the description of each path, responses and errors.
func TestNeutralNamesAlone(t *testing.T) {
	docs := func(o *proxy.Options) { o.Docs = true }
	without := facadetest.NewCachedFacade(t, docs)
	facade := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		docs(o)
	})
	lines := []string{"GET ", "GET /doc", "GET /docs", "GET /docs/openapi.json", "GET /events", "GET /es/events/5",
		"HEAD /events/5", "GET /nope", "GET /events?page=0", "DELETE /events", "GET /tribe/events/v1"}
	for _, path := range mapping.Paths() {
		lines = append(lines, "OPTIONS "+strings.NewReplacer("{id}", "5", "{slug}", "x").Replace(path))
	}
	for _, line := range lines {
		var got [2]string
		for i, f := range []*facadetest.CachedFacade{without, facade} {
			f.Answers(linkedEvent("x"))
			method, path, _ := strings.Cut(line, " ")
			root := "/wp-json"
			if suffix, ok := strings.CutPrefix(path, "/es"); ok {
				root = "/es/wp-json"
				path = suffix
			}
			res, err := http.DefaultTransport.RoundTrip(facadetest.Request(t, method, f.URL+root+"/calendar/events/v1"+path, ""))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			for _, name := range []string{"X-Request-Id", "Date", "Cache-Control", "Cache-Status"} { // the lifetime varies
				res.Header.Del(name)
			}
			got[i] = fmt.Sprint(res.StatusCode, res.Header, string(body))
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("%s (-without +with the legacy's names):\n%s", line, diff)
		}
		if strings.Contains(line, "OPTIONS") && !strings.HasPrefix(got[0], "200") {
			t.Errorf("%s: %s", line, got[0])
		}
	}
}

// TestLegacyClientsAreBounded: no User-Agent, method or path adds series without limit.
func TestLegacyClientsAreBounded(t *testing.T) {
	var metrics *telemetry.Metrics
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		metrics = o.Metrics
	})
	f.Answers(linkedEvent("x"))
	for i := range 50 {
		f.SendLegacy("GET /wp-json/tribe/events/5", fmt.Sprintf("User-Agent: app-%d", i))
		f.SendLegacy(fmt.Sprintf("X%d /wp-json/tribe/none%[1]d", i), fmt.Sprintf("User-Agent: curl/%d", i))
	}
	w := httptest.NewRecorder()
	metrics.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if n := strings.Count(w.Body.String(), "\ncalfacade_legacy_client_requests_total{"); n != 2 {
		t.Errorf("%d series: %s", n, w.Body)
	}
	if uses, dropped := metrics.LegacyUses(100); len(uses) != 2 || dropped != 0 {
		t.Errorf("%d clients and %d more", len(uses), dropped)
	}
}

// TestLegacyNamesOfIdentities: what a tester or a signed-in client gets in the legacy names is for
// nobody else, in neither names.
func TestLegacyNamesOfIdentities(t *testing.T) {
	f := facadetest.NewTestedFacade(t, facadetest.Everywhere(staging.Legacy), func(o *proxy.Options) {
		facadetest.InLegacyNames(o)
		o.Cookies = true
	})
	f.Answers(func(w http.ResponseWriter, r *http.Request) {
		title := "old"
		if r.Header.Get("Authorization")+r.Header.Get("Cookie")+r.URL.Query().Get("password") != "" {
			title = "old, of " + r.Header.Get("Authorization") + r.Header.Get("Cookie") + r.Header.Get("X-Wp-Nonce") +
				r.URL.Query().Get("password")
		}
		proxytest.WriteItem(w, `{"id":5,"title":%q}`, title)
	})
	const line = "GET /wp-json/tribe/events/5"
	for _, test := range []struct{ line, header, want string }{
		{line, facadetest.TesterField, "new"},
		{line, facadetest.TesterCookie, "new"},
		{line, "Authorization: Basic YTpi", "old, of Basic YTpi"},
		{line + "?_wpnonce=abc", "Cookie: wordpress_logged_in_x=a", "old, of wordpress_logged_in_x=aabc"},
		{line, "Cookie: wordpress_logged_in_x=b", "old, of wordpress_logged_in_x=b"},
		{line + "?password=sesame", "Accept: */*", "old, of sesame"},
	} {
		for range 2 {
			res, body := f.SendLegacy(test.line, test.header)
			if proxytest.Unmarked(body) != `{"id":5,"title":"`+test.want+`"}` || res.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s: %s, %v", test.header, body, res.Header)
			}
			if _, got := f.SendLegacy(line); proxytest.Unmarked(got) != `{"id":5,"title":"old"}` {
				t.Errorf("after %s: %s", test.header, got)
			}
			if _, got := f.Send("GET /events/5"); proxytest.Unmarked(got) != `{"id":5,"title":"old"}` {
				t.Errorf("after %s, in the neutral names: %s", test.header, got)
			}
		}
	}
	if res, body := f.SendLegacy("DELETE /wp-json/tribe/events/5", facadetest.TesterField+"x"); res.StatusCode != http.StatusForbidden ||
		!strings.Contains(body, "calendar_tester_refused") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
