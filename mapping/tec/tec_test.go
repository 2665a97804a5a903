package tec

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

var backend = mapping.API{Dialect: Dialect}

func parse(t *testing.T, endpoint, item, query, body string) *mapping.Call {
	t.Helper()
	call, err := mappingtest.ParseBody(t, endpoint, item, query, body)
	if err != nil {
		t.Fatal(endpoint, query, body, err)
	}
	return call
}

func TestSuccessorTranslate(t *testing.T) {
	for _, test := range []struct{ endpoint, item, query, body, want string }{
		{"events.list", "", "", "",
			"GET /tec/v1/events?per_page=10&ends_after=yesterday+00%3A00%3A00&starts_before=%2B24+months+23%3A59%3A59"},
		{"events.list", "", "start_date=2027-01-02+10:00&end_date=2027-01-03", "",
			"GET /tec/v1/events?per_page=10&ends_after=2027-01-02+00%3A00%3A00&starts_before=2027-01-03+23%3A59%3A59"},
		{"events.list", "", "strict_dates=1&start_date=2027-01-02+10:00&end_date=2027-01-03", "",
			"GET /tec/v1/events?per_page=10&ends_after=2027-01-02+10%3A00%3A00&starts_before=2027-01-03"},
		{"events.list", "", "starts_after=2027-01-02&ends_before=now", "",
			"GET /tec/v1/events?per_page=10&starts_after=2027-01-02+23%3A59%3A59&ends_before=now+23%3A59%3A59"},
		{"events.list", "", "start_date=2027-01-02&ends_after=2027-01-01&strict_dates=1&end_date=2027-01-09&starts_before=2027-01-08", "",
			"GET /tec/v1/events?per_page=10&ends_after=2027-01-02&starts_before=2027-01-08"},
		{"events.list", "", "ends_after=tomorrow+10:00", "", "GET /tec/v1/events?per_page=10&ends_after=tomorrow+10%3A00"},
		{"events.list", "", "start_date=1970-01-01&end_date=1970-01-01", "",
			"GET /tec/v1/events?per_page=10&ends_after=1970-01-01+00%3A00%3A01&starts_before=1970-01-01+23%3A59%3A59"},
		{"events.list", "", "ends_before=2999-12-31", "", "GET /tec/v1/events?per_page=10&ends_before=2999-12-31+23%3A59%3A59"},
		{"events.list", "", "starts_after=10:00&ends_before=-1", "",
			"GET /tec/v1/events?per_page=10&starts_after=today+23%3A59%3A59&ends_before=-1"},
		{"events.list", "", "starts_after=2026-W47&ends_before=2026-11-21+CET", "",
			"GET /tec/v1/events?per_page=10&starts_after=2026-11-16+23%3A59%3A59&ends_before=2026-11-21+CET"},
		{"events.list", "", "ends_after=2027-01-01T10:00:00%2B01:00", "",
			"GET /tec/v1/events?per_page=10&ends_after=2027-01-01T10%3A00%3A00%2B01%3A00"},
		{"events.list", "", "venue=7&organizer=2,1&featured=no&ends_after=now&strict_dates=1&page=3&per_page=90&status=any", "",
			"GET /tec/v1/events?featured=0&organizer%5B%5D=1&organizer%5B%5D=2&page=3&per_page=50&" +
				"status=publish%2Cpending%2Cdraft%2Cfuture%2Cprivate&venue%5B%5D=7&ends_after=now"},
		{"events.read", "5", "password=a%26b", "", "GET /tec/v1/events/5?password=a%26b"},
		{"venues.list", "", "event=5&only_with_upcoming=false&search=x", "", "GET /tec/v1/venues?event=5&per_page=10&search=x"},
		{"categories.list", "", "orderby=term_id&order=up&parent=3&event=5", "",
			"GET /wp/v2/tribe_events_cat?post=5&hide_empty=true&order=desc&orderby=id&parent=3&per_page=10"},
		{"tags.list", "", "hide_empty=0&slug=a", "", "GET /wp/v2/tags?hide_empty=false&per_page=10&slug=a"},
		{"tags.read", "5", "", "", "GET /wp/v2/tags/5"},
		{"tags.delete", "5", "", "", "DELETE /wp/v2/tags/5?force=true"},
		{"tags.update", "5", "", `{"name":"x"}`, `POST /wp/v2/tags/5 {"name":"x"}`},
		{"events.delete", "5", "", "", "DELETE /tec/v1/events/5"},
		{
			"events.create", "", "",
			`{"title":"x","description":"d","start_date":"2027-01-02","end_date":"2027-01-02 ` +
				`12:00:00","date_utc":"2027-01-01","cost":5,"categories":[1,2],"tags":[3],"venue":4,"organizer":[{"id":5},6],` +
				`"all_day":true,"status":"draft"}`,
			`POST /tec/v1/events {"date_gmt":"2027-01-01 ` +
				`00:00:00","title":"x","content":"d","status":"draft","all_day":true,"start_date":"2027-01-02 00:00:00",` +
				`"end_date":"2027-01-02 12:00:00","cost":"5","tribe_events_cat":[1,2],"tags":[3],"venues":[4],"organizers":[5,6]}`,
		},
		{"venues.update", "5", "", `{"venue":"x","stateprovince":"y","image":""}`,
			`PUT /tec/v1/venues/5 {"title":"x","state_province":"y"}`},
		{"organizers.create", "", "", `{"organizer":"x","email":"a@b.example","status":"publish"}`,
			`POST /tec/v1/organizers {"title":"x","status":"publish","email":"a@b.example"}`},
	} {
		call := parse(t, test.endpoint, test.item, test.query, test.body)
		if lacks := unsupported(call); lacks != nil {
			t.Errorf("%s: lacks %v", test.want, lacks)
		}
		r := requestOf(backend, call, "")
		if diff := cmp.Diff(test.want, mappingtest.Line(r)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if !strings.HasPrefix(r.Header.Get("X-TEC-EEA"), "I understand") {
			t.Errorf("%s: not acknowledged", test.want)
		}
	}
	b := mapping.API{Dialect: Dialect, LanguageParam: "lang"}
	if got := mappingtest.Line(requestOf(b, parse(t, "events.read", "5", "", ""), "es")); got != "GET /tec/v1/events/5?lang=es" {
		t.Errorf("got %s", got)
	}
}

func TestSuccessorLacks(t *testing.T) {
	for _, test := range []struct{ endpoint, query, body, want string }{
		{"events.list", "include=5&geoloc=1&geoloc_lat=1&geoloc_lng=2", "", "geoloc geoloc_lat geoloc_lng include"},
		{"events.list", "categories=music&tags=3&ticketed=1&featured=0", "", "ticketed"},
		{"venues.list", "has_events=1&only_with_upcoming=1", "", "has_events only_with_upcoming"},
		{"organizers.list", "has_events=0&only_with_upcoming=0", "", "has_events"},
		{"events.list", "start_date=now&ends_after=tomorrow", "", "start_date end_date"},
		{"categories.list", "orderby=meta", "", "orderby"},
		{"categories.list", "orderby=slug&i18n_language=es", "", ""},
		{"events.update", "password=x", `{"website":"https://a.example","show_map":true,"show_map_link":false,"hide_from_listings":true}`,
			"website show_map show_map_link hide_from_listings"},
		{"events.update", "", `{"start_date":"tomorrow 10:00","end_date":"2027-01-01T10:00:00+01:00","date":"1798761600"}`,
			"date start_date end_date"},
		{"events.update", "",
			`{"categories":["jazz"],"tags":[1,"new"],"venue":{"venue":"new"},"organizer":[1,{"organizer":"new"}],` +
				`"image":"https://a.example/x.png"}`,
			"image categories tags venue organizer"},
		{"events.update", "", `{"categories":[],"venue":{"id":5}}`, ""},
		{"events.update", "", `{"venue":5,"image":"7","featured":false}`, "image"},
		{"venues.update", "", `{"image":""}`, ""},
		{"venues.update", "", `{"show_map":"1","city":"x"}`, "show_map"},
		{"tags.update", "", `{"name":"x","slug":"y","description":"z"}`, ""},
		{"tags.create", "", `{"name":"x"}`, ""},
		{"events.create", "", `{"title":"x","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00"}`, "status"},
		{"venues.create", "", `{"venue":"x"}`, "status"},
		{"events.update", "", `{"status":"future"}`, "status"},
		{"events.update", "", `{"title":" "}`, "title"},
		{"tags.update", "", `{"name":" "}`, ""},
		{"events.update", "", `{"status":"future","date":"2027-01-01 10:00:00"}`, ""},
		{"organizers.create", "", `{"organizer":"x","status":"publish"}`, ""},
	} {
		item := ""
		if strings.HasSuffix(test.endpoint, "update") {
			item = "5"
		}
		if got := strings.Join(unsupported(parse(t, test.endpoint, item, test.query, test.body)), " "); got != test.want {
			t.Errorf("%s %s %s: lacks %q, want %q", test.endpoint, test.query, test.body, got, test.want)
		}
	}
}

// TestSuccessorLookup: slugs become ids, an update repeats the fields that it would reset and those that it needs
// beside its fields, and a deletion knows its item.
func TestSuccessorLookup(t *testing.T) {
	ids := mappingtest.ParseIDs(t, "categories,12,7012\ncategories,7012,99\nevents,5,7005")
	b := mapping.API{Dialect: Dialect, IDs: ids}
	for _, test := range []struct{ endpoint, item, query, body, want, result string }{
		{"tags.update", "5", "", `{"name":"x"}`, `POST /wp/v2/tags/5 {"name":"x"}`, `{}`},
		{"events.update", "5", "password=x", `{"title":"x"}`,
			`GET /tec/v1/events/7005?password=x > PUT /tec/v1/events/7005 {"title":"x","status":"draft","sticky":true}`,
			`{"id":7005,"status":"draft","sticky":true}`},
		{"events.update", "5", "", `{"status":"publish"}`, `GET /tec/v1/events/7005 > PUT /tec/v1/events/7005 {"status":"publish"}`,
			`{"id":7005,"status":"draft","sticky":null}`},
		{"events.update", "5", "", `{"start_date":"2027-01-02"}`,
			`GET /tec/v1/events/7005 > PUT /tec/v1/events/7005 {"start_date":"2027-01-02 00:00:00","end_date":"2027-01-03 11:00:00"}`,
			`{"id":7005,"start_date":"2027-01-01 10:00:00","end_date":"2027-01-03 11:00:00"}`},
		{"events.update", "5", "", `{"featured":false,"all_day":false,"venue":[]}`,
			`GET /tec/v1/events/7005 > PUT /tec/v1/events/7005 {"all_day":false,"featured":false,"venues":[]}`,
			`{"id":7005,"featured":false,"all_day":false,"venues":[]}`},
		{"venues.update_by_slug", "pier", "", `{"city":"x"}`,
			"GET /tec/v1/venues?_fields=id%2Cslug&per_page=10000&status=publish%2Cpending%2Cdraft%2Cfuture%2Cprivate > " +
				"GET /tec/v1/venues/8",
			`[{"id":8,"slug":"pier"}]`},
		{"events.delete_by_slug", "gala", "", "",
			"GET /tec/v1/events?_fields=id%2Cslug&per_page=10000&status=publish%2Cpending%2Cdraft%2Cfuture%2Cprivate > " +
				"GET /tec/v1/events/7005",
			`[{"id":7005,"slug":"gala"}]`},
		{"events.read_by_slug", "gala", "", "",
			"GET /tec/v1/events?_fields=id%2Cslug&per_page=10000&status=publish%2Cpending%2Cdraft%2Cfuture%2Cprivate > " +
				"GET /tec/v1/events/7005",
			`[{"id":7005,"slug":"gala"}]`},
		{"events.delete", "5", "", "", "GET /tec/v1/events/7005 > incomplete", `{}`},
	} {
		call := parse(t, test.endpoint, test.item, test.query, test.body)
		var steps []string
		_, err := do(b, call, func(r mapping.Request) (mapping.Reply, error) {
			steps = append(steps, mappingtest.Line(r))
			if len(steps) == 1 {
				return mapping.Reply{Header: counts, Body: []byte(test.result)}, nil
			}
			return mapping.Reply{Body: []byte("{}")}, nil
		})
		if errors.Is(err, mapping.ErrIncomplete) && len(steps) == 1 {
			steps = append(steps, "incomplete")
		}
		if got := strings.Join(steps, " > "); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestSuccessorConvert(t *testing.T) {
	const event = `{"id":5,"date":"2027-01-02T10:00:00","author":3,"status":"publish","link":"https://x.example/event/a/","slug":"a",` +
		`"title":{"rendered":"A \u0026 b\/c"},` +
		`"content":{"rendered":"<p>w<\/p>\n","protected":false},"excerpt":{"rendered":""},"featured_media":0,` +
		`"tribe_events_cat":[2,9],"tags":[],"all_day":false,"start_date":"2027-07-02 12:00:00","start_date_utc":"2027-07-02 ` +
		`10:00:00","timezone":"Europe/Madrid","cost":"£12.50","venues":[{"id":7,"title":{"rendered":"V"},"featured_media":4}],` +
		`"organizers":[]}`
	const terms = `[{"id":2,"count":1,"link":"https://x.example/c/","name":"N","slug":"n","taxonomy":"tribe_events_cat","parent":1,` +
		`"meta":[]}]`
	const media = `[{"id":4,"source_url":"https:\/\/x.example\/i.jpg","media_details":{"width":9,"height":8,"sizes":{"medium":{"width":3,` +
		`"height":2,"mime_type":"image/jpeg","source_url":"u"},"full":{"width":9,"height":8,"source_url":"f"}}}}]`
	for _, test := range []struct {
		name, endpoint, item string
		status               int
		body                 string
		want                 map[string]string // members of the response, as they stand; "" for an absent one
	}{
		{"event", "events.read", "5", 200, event, map[string]string{
			"global_id": `"x.example?id=5"`, "author": `"3"`, "date": `"2027-01-02 10:00:00"`, "rest_url": `"/tec/v1/events/5"`,
			"title":       `"A \u0026 b\/c"`,
			"description": `"<p>w</p>"`, "image": "false", "start_date": `"2027-07-02 12:00:00"`,
			"start_date_details": `{"year":"2027","month":"07","day":"02","hour":"12","minutes":"00","seconds":"00"}`,
			"timezone_abbr":      `"CEST"`,
			"cost_details":       `{"currency_symbol":"£","currency_position":"prefix","values":["12.50"]}`, "show_map": "null",
			"website": `""`,
			"json_ld": "",
			"categories": `[{"name":"N","slug":"n","taxonomy":"tribe_events_cat","parent":1,"count":1,"id":2,` +
				`"urls":{"self":"/tec/v1/categories/2","collection":"/tec/v1/categories","up":"/tec/v1/categories/1"}}]`,
			"tags": "[]", "organizer": "[]", "custom_fields": "[]",
			"venue": `{"id":7,"venue":"V","image":{"url":"https:\/\/x.example\/i.jpg","id":4,"extension":"jpg","width":9,"height":8,` +
				`"sizes":{"medium":{"width":3,"height":2,"mime-type":"image/jpeg","url":"u"}}},"show_map":null,"show_map_link":null,` +
				`"global_id":"?id=7","global_id_lineage":["?id=7"]}`,
		}},
		{"list", "events.list", "", 200, "[" + event + "]", map[string]string{"total": "41", "total_pages": "5", "next_rest_url": `""`,
			"previous_rest_url": ""}},
		{"locked", "venues.read", "7", 200,
			`{"id":7,"title":{"rendered":"V"},"content":{"rendered":"L","protected":null},"featured_media":4,"city":"C","zip":""}`,
			map[string]string{"venue": "[]", "description": `""`, "city": `""`, "zip": "", "image": ""}},
		{"locked event", "events.read", "7", 200, `{"id":7,"title":{"rendered":"V"},"content":{"rendered":"L","protected":null}}`,
			map[string]string{"code": `"event-password-protected"`, "data": `{"status":403}`, "id": ""}},
		{"unlocked", "venues.read", "7", 200, `{"id":7,"title":{"rendered":"V"},"content":{"rendered":"<p>w</p>","protected":true},` +
			`"city":"C"}`,
			map[string]string{"venue": `"V"`, "description": `"<p>w</p>"`, "city": `"C"`}},
		{"term", "tags.read", "2", 200, `{"id":2,"taxonomy":"post_tag","link":"l"}`,
			map[string]string{"url": `"l"`, "urls": `{"self":"/tec/v1/tags/2","collection":"/tec/v1/tags"}`, "parent": ""}},
		{"term deleted", "tags.delete", "2", 200, `{"deleted":true,"previous":{"id":2}}`, map[string]string{"id": "2", "deleted": ""}},
		{"error without a code", "events.delete", "5", 410, `{"error":"In the trash."}`,
			map[string]string{"code": `"event-is-in-trash"`, "message": `"In the trash."`,
				"data": `{"status":410}`}},
		{"page", "venues.list", "", 404, `{"code":"tec_rest_organizers_page_not_found","message":"No."}`,
			map[string]string{"code": `"venue-archive-page-not-found"`}},
		{
			"arguments", "events.create", "", 400,
			`{"code":"rest_invalid_param","message":"Text of the site: tribe_events_cat, ` +
				`title","data":{"status":400,"params":{"tribe_events_cat":"Argument ` +
				`{tribe_events_cat}!","title":"No."},"details":{"tribe_events_cat":{"code":"tec_x"}}}}`,
			map[string]string{
				"code": `"rest_invalid_param"`, "message": `"Text of the site: categories, title"`,
				"data": `{"status":400,"params":{"categories":"Argument {categories}!","title":"No."}}`,
			},
		},
		{"WordPress's own", "events.list", "", 401, `{"code":"rest_forbidden","message":"m","data":{"status":401}}`,
			map[string]string{"code": `"rest_forbidden"`}},
	} {
		body := ""
		if test.endpoint == "events.create" {
			body = `{"title":"x","start_date":"2027-01-01","end_date":"2027-01-01"}`
		}
		call := parse(t, test.endpoint, test.item, "", body)
		got := mapping.Reply{Status: test.status, Header: http.Header{"X-Wp-Total": {"41"}, "X-Wp-Totalpages": {"5"}},
			Body: []byte(test.body)}
		reply, err := convert(backend, call, got, "", func(r mapping.Request) (mapping.Reply, error) {
			if strings.HasSuffix(r.Path, mediaPath) {
				return mapping.Reply{Body: []byte(media)}, nil
			}
			return mapping.Reply{Body: []byte(terms)}, nil
		})
		if err != nil {
			t.Fatal(test.name, err)
		}
		for name, want := range test.want {
			if diff := cmp.Diff(want, string(jsonscan.Get(reply.Body, name))); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", test.name, name, diff)
			}
		}
		if test.name == "locked event" && reply.Status != http.StatusForbidden {
			t.Errorf("status %d", reply.Status)
		}
	}
}

// TestSuccessorUncounted: without the header fields with the totals of a list nothing shows how
// long it is.
func TestSuccessorUncounted(t *testing.T) {
	list := &mapping.Call{Endpoint: mappingtest.Row(t, "events.list"), Method: http.MethodGet}
	got := mapping.Reply{Status: 200, Header: http.Header{}, Body: []byte("[]")}
	if _, err := convert(backend, list, got, "", nil); !errors.Is(err, errUncounted) {
		t.Errorf("got %v", err)
	}
}

// recordTo collects the reads beside a response, which find nothing.
func recordTo(lines *[]string) answerer {
	return func(r mapping.Request) (mapping.Reply, error) {
		*lines = append(*lines, mappingtest.Line(r))
		return mapping.Reply{Body: []byte("[]")}, nil
	}
}

// TestSuccessorBeside: items that a response names by ids are read once, a hundred at a time.
func TestSuccessorBeside(t *testing.T) {
	many := strings.Repeat(`{"tags":[7]},`, 3) + `{"tags":[` + strings.TrimSuffix(strings.Repeat("8,", 2), ",") + `]}`
	for i := range 99 {
		many += `,{"tags":[` + strings.Repeat("1", i%5+1) + string(rune('0'+i%10)) + string(rune('0'+i/10)) + `]}`
	}
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.list", "[]", ""},
		{"events.read",
			`{"tribe_events_cat":[2,1],"tags":[],"featured_media":4,"venues":[{"featured_media":5}],"organizers":[{"featured_media":4}]}`,
			"GET /wp/v2/tribe_events_cat?include=2%2C1&per_page=100&lang=es GET /wp/v2/media?include=4%2C5&per_page=100&lang=es"},
		{"venues.list", `[{"featured_media":4}]`, "GET /wp/v2/media?include=4&per_page=100&lang=es"},
		{"tags.list", `[{"id":1}]`, ""},
		{"events.read", "no JSON", ""},
	} {
		b := mapping.API{Dialect: Dialect, LanguageParam: "lang"}
		call := &mapping.Call{Endpoint: mappingtest.Row(t, test.endpoint), Method: http.MethodGet, Item: "5"}
		var got []string
		_, _ = convert(b, call, mapping.Reply{Status: 200, Header: counts, Body: []byte(test.body)}, "es", recordTo(&got))
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		got = nil
		if _, err := convert(b, call, mapping.Reply{Status: 404, Body: []byte(test.body)}, "", recordTo(&got)); got != nil || err != nil {
			t.Errorf("%s: reads beside an error: %s, %v", test.endpoint, got, err)
		}
	}
	var reads []string
	_, err := convert(backend, &mapping.Call{Endpoint: mappingtest.Row(t, "events.list")},
		mapping.Reply{Status: 200, Header: counts, Body: []byte("[" + many + "]")}, "", recordTo(&reads))
	if len(reads) != 2 || err != nil {
		t.Errorf("%d reads of 101 terms", len(reads))
	}
}

func TestSuccessorRefuses(t *testing.T) {
	for _, test := range []struct {
		endpoint, body string
		want           error
	}{
		{"events.list", `{"id":5}`, jsonscan.ErrNotList},
		{"events.list", `[{"id":5}] Warning: x`, errShape},
		{"events.read", `[]`, jsonscan.ErrNotObject},
		{"tags.delete", `{"deleted":true}`, jsonscan.ErrNotObject},
	} {
		call := &mapping.Call{Endpoint: mappingtest.Row(t, test.endpoint), Method: http.MethodGet, Item: "a"}
		got := mapping.Reply{Status: 200, Header: counts, Body: []byte(test.body)}
		if _, err := convert(backend, call, got, "", nil); !errors.Is(err, test.want) {
			t.Errorf("%s %s: %v, want %v", test.endpoint, test.body, err, test.want)
		}
	}
}

// TestSuccessorScan finds items by slugs, as clients may spell them.
func TestSuccessorScan(t *testing.T) {
	const list = `[{"id":4,"slug":"gala-2"},{"id":5,"slug":"gala"},{"id":6,"slug":"%f0%9f%8e%89-fete"},{"id":7,"slug":""}]`
	for _, test := range []struct {
		slug, total string
		want        string // id, or status or error
	}{
		{"gala", "4", "5"},
		{"Gala", "4", "5"},
		{"%f0%9f%8e%89-fete", "4", "6"},
		{"🎉-fete", "4", "6"},
		{"gal", "4", "400"},
		{"\\", "4", "400"},
		{"gal", "5", "400"}, // the total counts items that a contributor may not read
		{"gal", "10001", errTooMany.Error()},
	} {
		call := scanOf(parse(t, "events.read_by_slug", test.slug, "", ""))
		if lacks := unsupported(call); lacks != nil {
			t.Errorf("%s: lacks %v", test.slug, lacks)
		}
		reply, err := convert(backend, call, mapping.Reply{Status: 200,
			Header: http.Header{"X-Wp-Total": {test.total}, "X-Wp-Totalpages": {"1"}},
			Body:   []byte(list)}, "", nil)
		got := strconv.Itoa(reply.Status)
		if err != nil {
			got = err.Error()
		} else if items := jsonscan.AsList(jsonscan.Get(reply.Body, "events")); len(items) == 1 {
			got, _ = mapping.ItemID(items[0])
		}
		if got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.slug, test.total, got, test.want)
		}
	}
}

// TestSuccessorIgnores: an update that would be ignored is refused, by the names of its fields.
func TestSuccessorIgnores(t *testing.T) {
	call := parse(t, "events.update", "5", "", `{"title":"x","featured":false,"all_day":false,"venue":[],"organizer":[],"sticky":false}`)
	_, err := do(backend, call, respond(`{"id":5,"featured":true,"all_day":true,"venues":[{"id":3}],"organizers":[{"id":6}],`+
		`"sticky":true}`))
	var lacks mapping.Lacking
	if !errors.As(err, &lacks) || !errors.Is(err, mapping.ErrNotSupported) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mapping.Lacking{"all_day", "featured", "venue"}, lacks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	call = parse(t, "venues.update", "5", "", `{"image":""}`)
	media := func(r mapping.Request) (mapping.Reply, error) {
		if strings.HasSuffix(r.Path, mediaPath) {
			return mapping.Reply{Body: []byte(`[{"id":4,"source_url":"https://x.example/i.jpg"}]`)}, nil
		}
		return mapping.Reply{Body: []byte(`{"id":5,"featured_media":4}`)}, nil
	}
	if _, err := do(backend, call, media); !errors.Is(err, mapping.ErrNotSupported) {
		t.Error(err)
	}
}

// TestSuccessorBackwards: an end before the start is refused before the successor fails, or
// ignores it.
func TestSuccessorBackwards(t *testing.T) {
	call := parse(t, "events.update", "5", "", `{"end_date":"2026-01-02"}`)
	_, err := do(backend, call, respond(`{"id":5,"start_date":"2027-01-01 10:00:00","end_date":"2027-01-03 11:00:00"}`))
	var faults mapping.Faults
	if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Param != end {
		t.Errorf("got %v", err)
	}
}
