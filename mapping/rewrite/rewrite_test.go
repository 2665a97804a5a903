package rewrite

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

func testRewriter(pages string) *Rewriter {
	return New(
		mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"},
		[]RootURLs{
			{Language: "en", Upstream: "https://legacy.example/blog/wp-json", Public: "https://api.example"},
			{Language: "es", Upstream: "https://legacy.example/blog/es/wp-json", Public: "https://api.example/es"},
		},
		Spellings{Aliases: []string{"https://www.legacy.example/blog"}, Pages: pages},
	)
}

func rewrite(t testing.TB, r *Rewriter, endpoint, query string, status int, body string) string {
	t.Helper()
	call, err := mappingtest.ParseQuery(t, endpoint, query)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Rewrite(t.Context(), call, 1, status, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Body)
}

func TestRewriteLinks(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"own root", `{"rest_url":"https://legacy.example/blog/es/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/es/calendar/events/v1/events/5"}`},
		{"other root", `{"rest_url":"https://legacy.example/blog/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/5"}`},
		{"http for https", `{"rest_url":"http://legacy.example/blog/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/5"}`},
		{"alias", `{"rest_url":"http://www.legacy.example/blog/es/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/es/calendar/events/v1/events/5"}`},
		{"escaped slashes", `{"rest_url":"https:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1\/events\/5"}`,
			`{"rest_url":"https:\/\/api.example\/calendar\/events\/v1\/events\/5"}`},
		{"a host that nobody configured", `{"rest_url":"http://10.0.0.1/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/es/calendar/events/v1/events/5"}`},
		{"language parameter", `{"rest_url":"https://legacy.example/blog/wp-json/tribe/events/v1/events/5?a=1&wpml_language=es"}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/5?a=1&i18n_language=es"}`},
		{"out of the namespace", `{"rest_url":"https://legacy.example/blog/wp-json/wp/v2/users"}`, `{"rest_url":null}`},
		{"longer namespace", `{"rest_url":"https://legacy.example/blog/wp-json/tribe/events/v10/events"}`, `{"rest_url":null}`},
		{"unknown attribute",
			`{"x":["https://legacy.example/blog/wp-json/tribe/events/v1/tags/5",` +
				`"https://legacy.example/blog/wp-json/tribe/tickets/v1/5","see https://legacy.example/blog/wp-json/"]}`,
			`{"x":["https://api.example/calendar/events/v1/tags/5",null,"see https://legacy.example/blog/wp-json/"]}`},
		{"term",
			`{"categories":[{"id":1,"taxonomy":"tribe_events_cat",` +
				`"urls":{"self":"https://legacy.example/blog/wp-json/tribe/events/v1/categories/1"}}],"tags":[{"taxonomy":"post_tag"}]}`,
			`{"categories":[{"id":1,"taxonomy":"calendar_events_cat",` +
				`"urls":{"self":"https://api.example/calendar/events/v1/categories/1"}}],"tags":[{"taxonomy":"post_tag"}]}`},
		{"pages stay", `{"url":"https://legacy.example/blog/event/x/","image":{"url":"https://legacy.example/blog/x.jpg"}}`,
			`{"url":"https://legacy.example/blog/event/x/","image":{"url":"https://legacy.example/blog/x.jpg"}}`},
		{"draft",
			`{"url":"https:\/\/legacy.example\/blog\/es\/?post_type=tribe_events&p=5",` +
				`"json_ld":{"url":"https://legacy.example/blog/?post_type=tribe_events&#038;p=5%2F/"}}`,
			`{"url":"https:\/\/legacy.example\/blog\/es\/?post_type=tribe_events&p=5",` +
				`"json_ld":{"url":"https://legacy.example/blog/?post_type=tribe_events&#038;p=5%2F/"}}`},
		{"website that the site made",
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&amp;p=5"}`,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5","website":""}`},
		{"website that people gave",
			`{"url":"https://legacy.example/blog/event/x/","website":"https://legacy.example/blog/wp-json/tribe/events/v1/events/5"}`,
			`{"url":"https://legacy.example/blog/event/x/","website":"https://legacy.example/blog/wp-json/tribe/events/v1/events/5"}`},
		{"website with the page's ampersand as a number",
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https:\/\/legacy.example\/blog\/?post_type=tribe_events&#038;p=5"}`,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5","website":""}`},
		{"website that goes on after the page",
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&p=51"}`,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&p=51"}`},
		{"website that is another page",
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&p=6"}`,
			`{"url":"https://legacy.example/blog/?post_type=tribe_events&p=5",` +
				`"website":"https://legacy.example/blog/?post_type=tribe_events&p=6"}`},
		{"capitals", `{"rest_url":"HTTPS://Legacy.Example/blog/wp-json/tribe/events/v1/events/5"}`,
			`{"rest_url":"https://api.example/calendar/events/v1/events/5"}`},
		{"venue in its three shapes", `{"venue":[],"organizer":[{"url":"https://legacy.example/blog/?post_type=tribe_organizer&p=5"}]}`,
			`{"venue":[],"organizer":[{"url":"https://legacy.example/blog/?post_type=tribe_organizer&p=5"}]}`},
	} {
		if diff := cmp.Diff(test.want, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestRewriteKeepsBytes: these bytes do not change: texts of people, including links that are
// rewritten in other attributes; the text of numbers, order, escapes, white space.
func TestRewriteKeepsBytes(t *testing.T) {
	const link = `http:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1\/events\/1`
	for _, body := range []string{
		`{"title":"` + link + `","description":"\u003ca href=\"` + link + `\">tribe_events_cat wpml_language<\/a>","excerpt":"` + link +
			`","website":"` + link + `"}`,
		`{"json_ld":{"name":"` + link + `","description":"` + link + `","performer":"` + link +
			`","organizer":{"sameAs":"` + link + `","url":"` + link + `"}}}`,
		`{"venue":{"venue":"` + link + `","address":"` + link + `","phone":"` + link +
			`"},"custom_fields":{"_ecp_custom_1":{"value":"` + link + `","url":"` + link + `"}}}`,
		"{ \"id\" : 1.0e2 ,\n\t\"b\":[ 1 , -0, 1E400 ], \"\\u0061\":\"\\ud83c\\udf89 \\u00e9 \\/\", \"b\":null }\n",
		`{"image":false,"venue":[],"cost_details":{"values":["12.50"]},"all_day":null}`,
		`{"idx:":1,"id,":"` + link + ` and more","url":"https:\/\/legacy.example\/blog\/a page"}`,
		`{}`, " {}",
	} {
		if diff := cmp.Diff(body, rewrite(t, testRewriter("https://pages.example"), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestRewriteSharedRoot: a site reads the language from a parameter. All roots have the same URL,
// and links keep the language of the response.
func TestRewriteSharedRoot(t *testing.T) {
	const upstream = "https://legacy.example/wp-json"
	r := New(mapping.API{Dialect: tribe.Dialect}, []RootURLs{
		{Upstream: upstream, Public: "https://api.example"}, {Upstream: upstream, Public: "https://api.example/es"},
		{Upstream: upstream, Public: "https://api.example/de"},
	}, Spellings{})
	body := `{"rest_url":"` + upstream + `/tribe/events/v1/events/5"}`
	want := `{"rest_url":"https://api.example/es/calendar/events/v1/events/5"}`
	if diff := cmp.Diff(want, rewrite(t, r, "events.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRewritePages(t *testing.T) {
	body := `{"url":"http://legacy.example/blog/event/x/","website":"http://legacy.example/blog/event/x/",` +
		`"image":{"url":"https://www.legacy.example/blog/a.jpg","sizes":{"theme-size":{"url":"https://legacy.example/blog/b.jpg"}}},` +
		`"json_ld":{"url":"https://elsewhere.example/"}}`
	want := `{"url":"https://pages.example/event/x/","website":"","image":{"url":"https://pages.example/a.jpg",` +
		`"sizes":{"theme-size":{"url":"https://pages.example/b.jpg"}}},"json_ld":{"url":"https://elsewhere.example/"}}`
	if diff := cmp.Diff(want, rewrite(t, testRewriter("https://pages.example/"), "events.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRewriteWithoutDefault: pages of a backend without the default language have the URLs that
// they have with a complete backend.
func TestRewriteWithoutDefault(t *testing.T) {
	public := []RootURLs{{Language: "en", Public: "https://api.example"}, {Language: "es", Public: "https://api.example/es"},
		{Language: "de", Public: "https://api.example/de"}}
	for _, test := range []struct{ name, es, de, body, want string }{
		{"a path for each language", "https://new.example/blog/es", "https://new.example/blog/de",
			`{"url":"https://new.example/blog/es/event/x/","image":{"url":"https://www.new.example/blog/a.jpg"},` +
				`"rest_url":"https://www.new.example/blog/de/wp-json/tribe/events/v1/events/5"}`,
			`{"url":"https://pages.example/es/event/x/","image":{"url":"https://pages.example/a.jpg"},` +
				`"rest_url":"https://api.example/de/calendar/events/v1/events/5"}`},
		{"a host for each language", "https://es.new.example/blog", "https://de.new.example/blog",
			`{"url":"https://es.new.example/blog/event/x/","image":{"url":"https://de.new.example/blog/a.jpg"},` +
				`"rest_url":"https://de.new.example/blog/wp-json/tribe/events/v1/events/5"}`,
			`{"url":"https://pages.example/event/x/","image":{"url":"https://pages.example/a.jpg"},` +
				`"rest_url":"https://api.example/de/calendar/events/v1/events/5"}`},
	} {
		roots := slices.Clone(public)
		roots[1].Upstream = test.es + "/wp-json"
		roots[2].Upstream = test.de + "/wp-json"
		r := New(mapping.API{Dialect: tribe.Dialect}, roots, Spellings{Aliases: []string{"https://www.new.example/blog"},
			Pages: "https://pages.example"})
		if diff := cmp.Diff(test.want, rewrite(t, r, "events.read", "", http.StatusOK, test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestRewriteRelations(t *testing.T) {
	body := `{"_links":{"self":[{"href":"https:\/\/legacy.example\/blog\/wp-json\/wp\/v2\/tribe_events_cat\/5",` +
		`"targetHints":{"allow":["GET"]}}],` +
		`"x":[{"templated":true,"href":"https:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1\/categories\/5"},` +
		`{"href":"https:\/\/elsewhere.example"}],"curies":[{"name":"wp","href":"https:\/\/api.w.org\/{rel}","templated":true}]}}`
	want := `{"_links":{"x":[{"templated":true,"href":"https:\/\/api.example\/calendar\/events\/v1\/categories\/5"}]}}`
	if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "categories.read", "", http.StatusOK, body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const href = `{"href":"https://legacy.example/blog/wp-json/tribe/events/v1/tags/5"`
	const link = `{"href":"https://api.example/calendar/events/v1/tags/5"`
	for member, want := range map[string]string{
		`{"_links":{},"id":5}`: `{"_links":{},"id":5}`,
		`{ "_links" : { "a" : [ ` + href + ` , "x":1 } , ` + href + `} ] , "b":` + href + `}, "c":[` + href +
			`}] } , "id" : 5 }`: `{ "_links" : {"a":[` + link + `,"x":1},` + link + `}],"c":[` + link + `}]} , "id" : 5 }`,
		`{"_links":{"a":[` + href + `,"href":"https://legacy.example/blog/wp-json/wp/v2"}]}}`: `{"_links":{}}`,
		`{"_links":{"a":[{"title":"https://legacy.example"},1,[],{"href":null}],"b":[]}}`:     `{"_links":{}}`,
		`{"_links":{"a":[{"x":"https://legacy.example/blog/wp-json/tribe/events/v1/tags/5",` + href[1:] +
			`}]}}`: `{"_links":{"a":[{"x":"https://legacy.example/blog/wp-json/tribe/events/v1/tags/5",` + link[1:] + `}]}}`,
	} {
		if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "categories.read", "", http.StatusOK, member)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestRewritePagingKeepsFilters: the legacy's links to the next page lose filters, which is a
// defect.
func TestRewritePagingKeepsFilters(t *testing.T) {
	body := `{"events":[],"rest_url":"a","next_rest_url":"b","previous_rest_url":"http:\/\/c"}`
	want := `{"events":[],` +
		`"rest_url":"https://api.example/es/calendar/events/v1/events/?categories=10%2Cmusic&featured=false&i18n_language=es&page=2&` +
		`per_page=10&strict_dates=true",` +
		`"next_rest_url":"https://api.example/es/calendar/events/v1/events/?categories=10%2Cmusic&featured=false&i18n_language=es&page=3&` +
		`per_page=10&strict_dates=true",` +
		`"previous_rest_url":"https:\/\/api.example\/es\/calendar\/events\/v1\/events\/?categories=10%2Cmusic&featured=false&` +
		`i18n_language=es&page=1&per_page=10&strict_dates=true"}`
	got := rewrite(t, testRewriter(""), "events.list", "page=2&categories=music,10&featured=no&strict_dates=yes&i18n_language=es",
		http.StatusOK, body)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRewriteErrors(t *testing.T) {
	body := `{"code":"rest_invalid_param","message":"Text of the site: wpml_language",` +
		`"data":{"params":{"wpml_language":"wpml_language and others"},"x":"my_wpml_language wpml_languages"}}`
	want := `{"code":"rest_invalid_param","message":"Text of the site: i18n_language",` +
		`"data":{"params":{"i18n_language":"i18n_language and others"},"x":"my_wpml_language wpml_languages"}}`
	if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "events.list", "", http.StatusBadRequest, body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRewriteErrorsBesideEscapes: a name may follow an escape, and does not begin with the letter
// of one.
func TestRewriteErrorsBesideEscapes(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`\tribe/events/v1`, `\tribe/events/v1`}, // a tab, ribe
		{`\\tribe/events/v1`, `\\calendar/events/v1`},
		{`\\\tribe/events/v1`, `\\\tribe/events/v1`},
		{`\ntribe\/events\/v1`, `\ncalendar\/events\/v1`},
		{`\\ntribe/events/v1`, `\\ntribe/events/v1`},
		{`\u201ewpml_language\u201c`, `\u201ei18n_language\u201c`}, // quotes of German
		{`\\u201ewpml_language`, `\\u201ewpml_language`},
		{`\"wpml_language\"`, `\"i18n_language\"`},
	} {
		body := func(text string) string { return `{"message":"` + text + `"}` }
		if got, want := rewrite(t, testRewriter(""), "events.list", "", http.StatusBadRequest,
			body(test.body)), body(test.want); got != want {
			t.Errorf("%s becomes %s, want %s", body(test.body), got, want)
		}
	}
}

// TestRewriteErrorsWithAWord: the name of a language parameter that may be an ordinary word stays.
func TestRewriteErrorsWithAWord(t *testing.T) {
	for _, body := range []string{
		`{"message":"Ung\u00fcltige(r) Parameter: title","data":{"params":{"title":"title ist zu ` +
			`lang."},"details":{"title":{"message":"title ist zu lang.","data":{"param":"title"}}}}}`,
		`{"code":"invalid_username","message":"The username <strong>lang</strong> is not registered: ` +
			`lang=es","data":{"status":401,"user":"lang","params":{"name":"lang"}}}`,
		`{"message":"zu lang","data":null,"lang":["lang",{"lang":1}]}`,
	} {
		if diff := cmp.Diff(body, rewrite(t, sharedRewriter(), "events.list", "", http.StatusBadRequest, body)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestRewriteNotJSON(t *testing.T) {
	call, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		"", "<html></html>", "<br />\n<b>Warning</b>: x in y {\"events\":[]}", `{"events":[]}<br />`, `{"events":[}`, `{"events":`,
		`{"rest_url":"a`, `{"_links":{`, "{\"a\":\"\xff\"}",
	} {
		if got, err := testRewriter("").Rewrite(t.Context(), call, 0, http.StatusOK, []byte(body)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%q: got %s, %v", body, got.Body, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	r := testRewriter("")
	list, err := mappingtest.ParseQuery(t, "events.list", "page=2&search=x")
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{
		"X-Tec-Total": {"25"}, "X-Tec-Totalpages": {"3"}, "Allow": {"GET"}, "Set-Cookie": {"a=b"}, "Server": {"nginx"},
		"X-Powered-By": {"PHP"}, "Link": {`<https://legacy.example/blog/wp-json/>; rel="https://api.w.org/"`},
		"Access-Control-Allow-Origin": {"https://evil.example"},
	}
	want := http.Header{
		"X-Calendar-Total": {"25"}, "X-Calendar-TotalPages": {"3"}, "X-WP-Total": {"25"}, "X-WP-TotalPages": {"3"},
		"Allow": {"GET, HEAD, OPTIONS, POST"}, // of the path, not of the user
		"Link": {`<https://api.example/calendar/events/v1/events/?page=3&per_page=10&search=x>; rel="next", ` +
			`<https://api.example/calendar/events/v1/events/?page=1&per_page=10&search=x>; rel="prev"`},
	}
	if diff := cmp.Diff(want, r.Headers(list, 0, http.StatusOK, header, Result{})); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	for _, test := range []struct{ endpoint, id, want string }{
		{"categories.create", "68", "https://api.example/es/calendar/events/v1/categories/68"},
		{"events.create", "7", "https://api.example/es/calendar/events/v1/events/7"},
		{"events.update", "7", ""},
	} {
		e := mappingtest.Row(t, test.endpoint)
		header := http.Header{"Location": {"https://legacy.example/blog/wp-json/wp/v2/tribe_events_cat/68"}}
		got := r.Headers(&mapping.Call{Endpoint: e, Method: e.Methods[0]}, 1, http.StatusCreated, header, Result{ID: test.id})
		if got.Get("Location") != test.want {
			t.Errorf("%s: Location %q, want %q", test.endpoint, got.Get("Location"), test.want)
		}
	}
}

// TestCounts reads the counts of a list from its body if the header lacks one.
func TestCounts(t *testing.T) {
	list, err := mappingtest.ParseQuery(t, "events.list", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		header http.Header
		body   string
		want   string // total and pages, "" without counts
	}{
		{http.Header{"X-Tec-Total": {"25"}, "X-Tec-Totalpages": {"3"}}, `{"total":9,"total_pages":9}`, "25 3"},
		{http.Header{}, `{"events":[{"id":5,"total":1}],"total":25,"total_pages":3}`, "25 3"},
		{http.Header{"X-Tec-Total": {"25"}}, `{"total":25,"total_pages":3}`, "25 3"},
		{http.Header{"X-Tec-Totalpages": {"3"}}, `{"total_pages":0,"total":0}`, "0 0"},
		{http.Header{}, `{"total":-1,"total_pages":1.5}`, ""},
		{http.Header{}, `{"total":"25","total_pages":3}`, "25 3"},
		{http.Header{}, `{"total":"many","total_pages":3}`, ""},
		{http.Header{}, `{"events":[{"total":25,"total_pages":3}]}`, ""},
	} {
		r := testRewriter("")
		result, err := r.Rewrite(t.Context(), list, 0, http.StatusOK, []byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		h := r.Headers(list, 0, http.StatusOK, test.header, result)
		var counts []string
		for _, name := range []string{mapping.HeaderTotal, mapping.HeaderTotalPages} {
			counts = append(counts, h[name]...)
		}
		if got := strings.Join(counts, " "); got != test.want {
			t.Errorf("%v %s: got %q, want %q", test.header, test.body, got, test.want)
		}
	}
}

func TestRewriteID(t *testing.T) {
	e := mappingtest.Row(t, "events.create")
	for body, want := range map[string]string{
		`{"id":7,"venue":{"id":8}}`: "7", `{"venue":{"id":8,"image":{}},"tags":[],"id":7}`: "7", `{"venue":{"id":8}}`: "",
		`{"id":"7"}`:  "7",
		`{"id":"x7"}`: "",
	} {
		got, err := testRewriter("").Rewrite(t.Context(), &mapping.Call{Endpoint: e}, 0, http.StatusCreated, []byte(body))
		if err != nil || got.ID != want {
			t.Errorf("%s: got %q, %v, want %q", body, got.ID, err, want)
		}
	}
}

func TestHomesOf(t *testing.T) {
	for _, test := range []struct{ upstreams, want string }{
		{"https://a/wp-json https://a/es/wp-json", "a a"},
		{"https://a/en/wp-json https://a/es/wp-json", "a a"},
		{"https://a/es/wp-json", "a/es"},
		{"https://a:443/en/wp-json http://A:80/wp-json https://a/es/wp-json", "a A a"},
		{"https://a:8443/wp-json https://a/es/wp-json", "a:8443 a"},
		{"https://a/blog/us/wp-json https://a/blog/mx/wp-json", "a/blog a/blog"},
		{"https://a/blog/wp-json https://es.a/wp-json https://a/blog/de/index.php/wp-json", "a/blog es.a a/blog"},
		{"https://a/blog2/wp-json https://a/blog/wp-json", "a a"},
		{"https://a/api", "a"},
		{"https://a/blog/api https://a/blog/es/index.php/api", "a/blog a/blog"},
		{"https://api.a", "api.a"},
		{"https://a/index.php?rest_route= https://a/es/index.php?rest_route=", "a a"},
		{"https://a/blog/index.php?rest_route=", "a/blog"},
	} {
		var roots []RootURLs
		for i, u := range strings.Fields(test.upstreams) {
			roots = append(roots, RootURLs{Language: []string{"en", "es", "de"}[i], Upstream: u})
		}
		var got []string
		for _, home := range homesOf(tribe.Dialect, roots) {
			got = append(got, home.String())
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.upstreams, diff)
		}
	}
}

// TestRewriteLinksThatBeginAlike: a walker remembers the beginning of a link. It does not accept
// a link that continues with something else than a path.
func TestRewriteLinksThatBeginAlike(t *testing.T) {
	const upstream, public = `https:\/\/legacy.example\/blog\/wp-json\/tribe\/events\/v1`, `https:\/\/api.example\/calendar\/events\/v1`
	for suffix, want := range map[string]string{
		``:                             `"` + public + `"`,
		`\/events\/7`:                  `"` + public + `\/events\/7"`,
		`\/events\/by-slug\/a_b`:       `"` + public + `\/events\/by-slug\/a_b"`,
		`\/events/7`:                   `"` + public + `\/events\/7"`,
		`\/events\/?wpml_language=es`:  `"` + public + `\/events\/?i18n_language=es"`,
		`0\/events\/7`:                 `null`,
		`x`:                            `null`,
		`\/events\/7?a=https:\/\/x\/y`: `"` + public + `\/events\/7?a=https:\/\/x\/y"`,
	} {
		body := `{"rest_url":"` + upstream + `\/events\/5","categories":[{"urls":{"self":"` + upstream + suffix +
			`","up":"https://legacy.example/blog/es/wp-json/tribe/events/v1/events/5"}}]}`
		want := `{"rest_url":"` + public + `\/events\/5","categories":[{"urls":{"self":` + want +
			`,"up":"https://api.example/es/calendar/events/v1/events/5"}}]}`
		if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", suffix, diff)
		}
	}
}

func TestRewriteAttributesInAnyOrder(t *testing.T) {
	const link = `"https://legacy.example/blog/wp-json/tribe/events/v1/events/5"`
	const want = `"https://api.example/calendar/events/v1/events/5"`
	for body, want := range map[string]string{
		`{"title":` + link + `,"rest_url":` + link + `,"id":5}`:       `{"title":` + link + `,"rest_url":` + want + `,"id":5}`,
		`{"\u0072est_url":` + link + `,"t\u0069tle":` + link + `}`:    `{"\u0072est_url":` + want + `,"t\u0069tle":` + link + `}`,
		`{"\\u0072est_url":"http:\/\/10.0.0.1\/tribe\/events\/v1"}`:   `{"\\u0072est_url":"http:\/\/10.0.0.1\/tribe\/events\/v1"}`,
		`{ "id" :5, "other":` + link + `,"rest_url" : ` + link + ` }`: `{ "id" :5, "other":` + want + `,"rest_url" : ` + want + ` }`,
		`{"rest_url":` + link + `,"rest_url":` + link + `,"title":` + link + `}`: `{"rest_url":` + want + `,"rest_url":` + want +
			`,"title":` +
			link + `}`,
	} {
		if diff := cmp.Diff(want, rewrite(t, testRewriter(""), "events.read", "", http.StatusOK, body)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
