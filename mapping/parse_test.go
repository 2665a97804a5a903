package mapping

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row finds a row of the table by name.
func row(t testing.TB, name string) *Endpoint {
	t.Helper()
	for _, e := range Table {
		if e.Name() == name {
			return e
		}
	}
	t.Fatalf("no row %s", name)
	return nil
}

func parseQuery(t testing.TB, name, query string) (*Call, error) {
	t.Helper()
	node, err := DecodeForm(query)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(row(t, name), http.MethodGet, Input{Query: node}, Drop)
}

func TestParseQuery(t *testing.T) {
	const eventDefaults = "page=1&per_page=10&strict_dates=false"
	for _, test := range []struct{ endpoint, query, want string }{
		{"events.list", "", eventDefaults},
		{"events.list", "page=02&per_page=%2B5", "page=2&per_page=5&strict_dates=false"},
		{"events.list", "per_page=100", "page=1&per_page=50&strict_dates=false"},
		{"events.list", "page=1&page=3", "page=3&per_page=10&strict_dates=false"},
		{"events.list", "lang=xx&colour=blue&_fields=id&_method=DELETE&rest_route=/&id=5", eventDefaults},
		{"events.list", "search=", eventDefaults},
		{"events.list", "search=jazz+night", "page=1&per_page=10&search=jazz+night&strict_dates=false"},
		{"events.list", "search=Caf%C3%A9+%26+co", "page=1&per_page=10&search=Caf%C3%A9+%26+co&strict_dates=false"},

		{"events.list", "include=583,&venue=,7&organizer[]=&organizer[]=9", "include=583&organizer=9&page=1&per_page=10&venue=7"},
		{"events.list", "categories=10,&tags=,,b,+,a", "categories=10&page=1&per_page=10&strict_dates=false&tags=a%2Cb"},
		{"categories.list", "include=,5,&exclude=7,,8", "exclude=7%2C8&hide_empty=true&include=5&page=1&per_page=10"},

		// As PHP has it; bytes that are no UTF-8 do not change.
		{"events.list", "search=100%", "page=1&per_page=10&search=100%25&strict_dates=false"},
		{"events.list", "search=%zz+%4+%+%%41", "page=1&per_page=10&search=%25zz+%254+%25+%25A&strict_dates=false"},
		{"venues.list", "search=%e9t\xe9", "only_with_upcoming=false&page=1&per_page=10&search=%E9t%E9"},
		{"organizers.list", "search=%ff%fe", "only_with_upcoming=false&page=1&per_page=10&search=%FF%FE"},
		{"tags.list", "search=50%+off&slug=%e9%", "hide_empty=true&page=1&per_page=10&search=50%25+off&slug=%E9%25"},
		{"events.list", "%=1&page%zz=2&sear%63h=5%", "page=1&per_page=10&search=5%25&strict_dates=false"},

		{"events.list", "categories=music,12,%2012,3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "categories[]=12&categories[]=music&categories[]=3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "categories%5B1%5D=12&categories%5B0%5D=music,3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "categories=12&categories=music&categories=3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "categories=12&categories[]=music,3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "venue=007,10,9", "page=1&per_page=10&strict_dates=false&venue=7%2C9%2C10"},

		{"events.list", "featured=Yes&geoloc=OFF&ticketed=0", "featured=true&geoloc=false&" + eventDefaults + "&ticketed=false"},
		{"events.list", "strict_dates=on", "page=1&per_page=10&strict_dates=true"},
		{"events.list", "strict_dates=banana", eventDefaults},
		{"events.list", "strict_dates=0", eventDefaults},
		{"events.list", "page=+2+&per_page=1e1", "page=2&per_page=10&strict_dates=false"},
		{"events.list", "page=2.0&post_parent=583.", "page=2&per_page=10&post_parent=583&strict_dates=false"},
		{"events.list", "start_date=0&end_date=Tomorrow", "end_date=Tomorrow&page=1&per_page=10&start_date=now&strict_dates=false"},
		{"events.list", "start_date=1970-01-01", "page=1&per_page=10&start_date=1970-01-01&strict_dates=false"},
		{"events.list", "start_date=1970-01-02&strict_dates=1", "page=1&per_page=10&start_date=1970-01-02&strict_dates=true"},
		{"events.list", "include=5&start_date=1970-01-01&strict_dates=1", "include=5&page=1&per_page=10"},
		{"events.list", "categories[a]=music&categories[b]=12,3", "categories=3%2C12%2Cmusic&" + eventDefaults},
		{"events.list", "categories[a]=1&categories[]=2&categories[]=3&categories[a]=4", "categories=2%2C3%2C4&" + eventDefaults},
		{"events.list", "categories[]=1&categories[a]=2", "categories=1%2C2&" + eventDefaults},
		{"tags.list", "include[x]=34", "hide_empty=true&include=34&page=1&per_page=10"},
		{"events.list", "geoloc_lat=051.50&geoloc_lng=-0", "geoloc_lat=51.5&geoloc_lng=0&" + eventDefaults},
		{"events.list", "i18n_language=fr", "i18n_language=fr&" + eventDefaults},

		{"events.list", "include=5&start_date=now&ends_after=2027-01-01&strict_dates=1", "include=5&page=1&per_page=10"},

		{"venues.list", "", "only_with_upcoming=false&page=1&per_page=10"},
		{"venues.list", "has_events=banana&only_with_upcoming=1", "has_events=banana&only_with_upcoming=1&page=1&per_page=10"},
		{"categories.list", "hide_empty=1&parent=3", "hide_empty=true&page=1&parent=3&per_page=10"},
		{"categories.list", "event=5", "event=5&hide_empty=true&page=1&per_page=10"},
		{"categories.list", "event=5&post=05", "hide_empty=true&page=1&per_page=10&post=5"},
		{"tags.list", "parent=3", "hide_empty=true&page=1&per_page=10"},
	} {
		call, err := parseQuery(t, test.endpoint, test.query)
		if err != nil {
			t.Errorf("%s?%s: %v", test.endpoint, test.query, err)
			continue
		}
		if got := call.Canonical(); got != test.want {
			t.Errorf("%s?%s:\ngot  %s\nwant %s", test.endpoint, test.query, got, test.want)
		}
	}
}

func TestParseQueryFaults(t *testing.T) {
	for _, test := range []struct{ endpoint, query, want string }{
		{"events.list", "start_date=foo&end_date=bar&page=x&per_page=y", "page:integer per_page:integer start_date:date end_date:date"},
		{"events.list", "start_date=2027-01-01T10:00:00+01:00&end_date=2027-01-01+10:00:00.5+00:30",
			"start_date:lost_plus end_date:lost_plus"},
		{"events.list", "start_date=2027-01-01T10:00:00%0901:00&end_date=2027-01-01+10:00:00++00:30",
			"start_date:lost_plus end_date:lost_plus"},
		{"events.list", "page=0", "page:min"},
		{"events.list", "page=", "page:integer"},
		{"events.list", "page=1.5", "page:integer"},
		{"events.list", "page[]=1", "page:type"},
		{"events.list", "page=%2B-1", "page:integer"},
		{"events.list", "search[]=jazz", "search:type"},
		{"events.list", "categories=%ff", "categories:encoding"},
		{"events.read", "password=%ff", "password:encoding"},
		{"venues.list", "has_events=%ff", "has_events:encoding"},
		{"events.list", "search=a%00b", "search:control"},
		{"events.list", "search=a%7fb", "search:control"},
		{"events.list", "search=" + strings.Repeat("x", 1001), "search:too_long"},
		{"events.list", "include=abc", "include:ids"},
		{"events.list", "include=", "include:ids"},
		{"events.list", "include=-1", "include:ids"},
		{"events.list", "venue=0", "venue:ids"},
		{"events.list", "categories=a/b", "categories:terms"},
		{"events.list", "tags=" + strings.Repeat("1,", 1000) + "1", "tags:too_many"},
		{"events.list", "featured=banana", "featured:type"},
		{"events.list", "geoloc_lat=51", "geoloc_lng:with"},
		{"events.list", "geoloc_lat=91", "geoloc_lat:between geoloc_lng:with"},
		{"events.list", "geoloc_lat=91&geoloc_lng=0x10", "geoloc_lat:between geoloc_lng:number"},
		{"events.list", "geoloc_lat=nan&geoloc_lng=1e999", "geoloc_lat:number geoloc_lng:number"},
		{"events.list", "i18n_language=xx", "i18n_language:enum"},
		{"events.list", "i18n_language=", "i18n_language:enum"},
		{"events.list", "start_date=", "start_date:date"},
		{"events.list", "start_date=+", "start_date:date"},
		{"events.list", "start_date=1970-01-01&strict_dates=true", "start_date:epoch"},
		{"events.list", "ends_before=1970-01-01T01:00:00%2B01:00&starts_after=1969-12-31T20:00:00-04:00&ends_after=@0&strict_dates=1",
			"starts_after:epoch ends_before:epoch ends_after:epoch"},
		{"events.list", "page=1e-1", "page:integer"},
		{"events.list", "page=0x10", "page:integer"},
		{"events.list", "page=1e99", "page:integer"},
		{"events.list", "page=9007199254740993.0", "page:integer"},
		{"events.list", "page=99999999999999999999&per_page=99999999999999999999", "page:integer per_page:integer"},
		{"events.list", "status=&strict_dates=&featured=&geoloc=&ticketed=",
			"strict_dates:empty featured:type status:empty geoloc:type ticketed:type"},
		{"venues.list", "status=", "status:empty"},
		{"tags.list", "order=&orderby=&slug=&hide_empty=", "order:empty orderby:empty hide_empty:type slug:empty"},
		{"events.list", "categories[][]=10", "categories:terms"},
		{"events.list", "organizer[a][b]=185", "organizer:ids"},
		{"events.list", "include=,&venue=,,&organizer[]=&categories=+,&tags[]=&tags[]=,",
			"categories:terms tags:terms venue:ids organizer:ids include:ids"},
		{"tags.list", "include=&exclude=,", "exclude:ids include:ids"},
		{"events.read", "password=", "password:empty"},
		{"categories.list", "event=5&post=6", "event:alias"},
		{"categories.list", "parent=0", "parent:min"},
	} {
		_, err := parseQuery(t, test.endpoint, test.query)
		if got := reasons(err); got != test.want {
			t.Errorf("%s?%.80s:\ngot  %s\nwant %s", test.endpoint, test.query, got, test.want)
		}
	}
}

// reasons formats faults as param:reason.
func reasons(err error) string {
	var faults Faults
	if !errors.As(err, &faults) {
		return ""
	}
	var out []string
	for _, f := range faults {
		reason := f.Reason
		if f.Missing {
			reason = "missing"
		}
		out = append(out, f.Param+":"+reason)
	}
	return strings.Join(out, " ")
}

func TestParseReject(t *testing.T) {
	query, err := DecodeForm("per_page=1&colour=blue&_method=DELETE&a%01b=1&ab=2&id=3")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(row(t, "events.list"), http.MethodGet, Input{Query: query}, Reject)
	if got, want := reasons(err), "colour:unknown _method:unknown ab:unknown id:unknown"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOverride: a POST means one of the methods of the table that write, in any case.
func TestOverride(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   string // "": refused
	}{
		{[]string{"PUT"}, "PUT"}, {[]string{"patch"}, "PATCH"}, {[]string{"Delete"}, "DELETE"}, {[]string{"post"}, "POST"},
		{[]string{""}, ""}, {[]string{"GET"}, ""}, {[]string{"HEAD"}, ""}, {[]string{"BREW"}, ""}, {[]string{"PUT, DELETE"}, ""},
		{[]string{"PUT", "PUT"}, ""},
	} {
		got, err := Override(test.values)
		if got != test.want || (reasons(err) == "X-HTTP-Method-Override:enum") != (test.want == "") {
			t.Errorf("%q: got %q, %v", test.values, got, err)
		}
	}
}

func TestTooManyPairs(t *testing.T) {
	if _, err := DecodeForm(strings.Repeat("a=1&", MaxPairs+1)); !errors.Is(err, ErrTooManyPairs) {
		t.Errorf("query: got %v", err)
	}
	if _, err := DecodeForm(strings.Repeat("a&", MaxPairs) + "a"); !errors.Is(err, ErrTooManyPairs) {
		t.Errorf("short names: got %v", err)
	}
	if _, err := DecodeForm(strings.Repeat("a&&&", MaxPairs)); err != nil {
		t.Errorf("empty pairs: got %v", err)
	}
	for value, values := range map[string]int{"1": 1, "[]": 1, `{"b":1}`: 2} {
		n := (MaxValues - 2) / values // beside the object and the list
		for surplus, want := range map[int]error{0: nil, 2: ErrTooManyValues} {
			body := `{"a":[` + strings.TrimSuffix(strings.Repeat(value+",", n+surplus), ",") + "]}"
			if _, err := DecodeJSON([]byte(body)); !errors.Is(err, want) {
				t.Errorf("%d times %s in JSON: got %v, want %v", n+surplus, value, err, want)
			}
		}
	}
}

// parseBody parses a write with a body of JSON, or of a form if body is not JSON.
func parseBody(t testing.TB, name, item, query, body string) (*Call, error) {
	t.Helper()
	decode := DecodeForm
	if strings.HasPrefix(body, "{") {
		decode = func(s string) (Node, error) { return DecodeJSON([]byte(s)) }
	}
	input := Input{Item: item}
	var err error
	if input.Query, err = DecodeForm(query); err != nil {
		t.Fatal(err)
	}
	if input.Body, err = decode(body); err != nil {
		t.Fatal(err)
	}
	return Parse(row(t, name), row(t, name).Methods[0], input, Drop)
}

func TestParseBody(t *testing.T) {
	for _, test := range []struct{ endpoint, query, body, want string }{
		{"events.update", "", `{}`, `{}`},
		{"events.update", "", ``, `{}`},
		{"events.update", "", `{"featured":true,"all_day":"no","sticky":"1"}`, `{"all_day":false,"sticky":true,"featured":true}`},
		{"events.update", "", "featured=on&title=A+%26+B", `{"title":"A & B","featured":true}`},
		{"events.update", "title=Q&author=7", `{"title":"B"}`, `{"author":7,"title":"B"}`},
		{"events.update", "", `{"id":5,"rest_route":"/","colour":"blue"}`, `{}`},
		{"events.update", "", `{"description":"a\u0000"}`, ``},
		{"events.update", "", `{"description":"tab\tline\n<b>é</b> 🎉","excerpt":" "}`,
			`{"description":"tab\tline\n<b>é</b> 🎉","excerpt":" "}`},
		{"events.update", "", `{"author":"12"}`, `{"author":12}`},

		{"events.update", "", `{"cost":12.50}`, `{"cost":12.50}`},
		{"events.create", "",
			`{"title":"T","start_date":"2027-03-05","end_date":"2027-03-05","cost":null,"website":null,"venue":null,"organizer":null,` +
				`"tags":null}`,
			`{"title":"T","start_date":"2027-03-05","end_date":"2027-03-05"}`},
		{"events.update", "", `{"cost":null,"website":null,"venue":null,"organizer":null,"tags":null}`,
			`{"cost":"","website":"","tags":[],"venue":[],"organizer":[]}`},
		{"events.update", "", `{"image":100}`, `{"image":"100"}`},
		{"venues.update", "", `{"show_map":true,"image":null,"city":null}`, `{"show_map":"true","city":"","image":""}`},

		{"events.update", "", `{"categories":[10,"New, with comma","10",10]}`, `{"categories":[10,"New, with comma"]}`},
		{"events.update", "", "tags=free,kids,34&categories[]=10", `{"categories":[10],"tags":["free","kids",34]}`},
		{"events.update", "", `{"venue":105}`, `{"venue":105}`},
		{"events.update", "", `{"venue":"105"}`, `{"venue":105}`},
		{"events.update", "", `{"organizer":[187,185,187]}`, `{"organizer":[187,185]}`},
		{"events.update", "", "organizer[]=187&organizer[]=185", `{"organizer":[187,185]}`},
		{"events.update", "", `{"venue":{"venue":"Hall","city":"Bath","colour":"blue","show_map":false}}`,
			`{"venue":{"venue":"Hall","show_map":"false","city":"Bath"}}`},
		{"events.update", "", "venue[venue]=Hall&venue[city]=Bath", `{"venue":{"venue":"Hall","city":"Bath"}}`},
		{"events.update", "", "organizer[0][organizer]=A&organizer[0][email]=a@b.example&organizer[1][organizer]=B",
			`{"organizer":[{"organizer":"A","email":"a@b.example"},{"organizer":"B"}]}`},
		{"events.update", "", `{"organizer":[{"organizer":"A"},{"id":185}]}`, `{"organizer":[{"organizer":"A"},{"id":185}]}`},
		{"events.update", "", `{"venue":[]}`, `{"venue":[]}`},
		{"events.update", "", `{"venue":[105]}`, `{"venue":105}`},
		{"events.update", "", `{"venue":[{"venue":"Hall"}]}`, `{"venue":{"venue":"Hall"}}`},
		{"events.update", "", `{"venue":[105,105,0,"",null]}`, `{"venue":105}`},
		{"events.update", "", `{"venue":0,"organizer":""}`, `{"venue":[],"organizer":[]}`},
		{"events.update", "", `{"venue":{"id":0},"organizer":[null,"0"]}`, `{"venue":[],"organizer":[]}`},
		{"events.update", "", `{"venue":{"venue":"Hall","date":"2026-01-01T10:00:00+05:00"}}`,
			`{"venue":{"date_utc":"2026-01-01 05:00:00","venue":"Hall"}}`},
		{"events.update", "", `{"organizer":"1,2"}`, `{"organizer":[1,2]}`},
		{"events.update", "", `{"organizer":183}`, `{"organizer":[183]}`},
		{"events.update", "", `{"organizer":{"organizer":"A"}}`, `{"organizer":[{"organizer":"A"}]}`},
		{"events.update", "", `{"tags":"34,56, kids","categories":""}`, `{"categories":[],"tags":[34,56,"kids"]}`},
		{"events.update", "", "tags[]=Rock,+Pop&tags[]=34", `{"tags":["Rock, Pop",34]}`},
		{"events.update", "", `{"tags":[0,null,"","0",34]}`, `{"tags":[34]}`},
		{"events.update", "", `{"cost":["1",2.5]}`, `{"cost":["1","2.5"]}`},
		{"events.update", "", "cost[]=1&cost[]=2", `{"cost":["1","2"]}`},
		{"venues.create", "", `{"venue":"Hall","description":""}`, `{"venue":"Hall","description":""}`},

		{"events.update", "", `{"start_date":"2027-03-03 18:00","end_date":"2027-03-03T20:00:00Z"}`,
			`{"start_date":"2027-03-03 18:00:00","end_date":"2027-03-03T20:00:00+00:00"}`},
		{"events.update", "password=p", `{"title":"T"}`, `{"password":"p","title":"T"}`},
		{"events.create", "title=Q&start_date=2027-03-05&end_date=2027-03-05", ``,
			`{"title":"Q","start_date":"2027-03-05","end_date":"2027-03-05"}`},
		{"categories.create", "", `{"name":"N","parent":3}`, `{"name":"N","parent":3}`},
	} {
		call, err := parseBody(t, test.endpoint, "", test.query, test.body)
		got := ""
		if err == nil {
			got = string(API{Dialect: plain}.Translate(call, "").Body)
		}
		if got != test.want {
			t.Errorf("%s %s %s:\ngot  %s (%v)\nwant %s", test.endpoint, test.query, test.body, got, err, test.want)
		}
	}
}

func TestParseBodyFaults(t *testing.T) {
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.create", `{}`, "title:missing start_date:missing end_date:missing"},
		{"events.create", `{"title":null,"start_date":"morgen","featured":"banana"}`,
			"title:missing start_date:date end_date:missing featured:type"},
		{"events.update", `{"title":42}`, "title:type"},
		{"events.update", `{"title":["a"]}`, "title:type"},
		{"events.update", `{"title":null}`, "title:type"},
		{"events.update", `{"image":null}`, "image:type"},
		{"events.update", `{"image":{}}`, "image:type"},
		{"events.update", `{"author":1.5}`, "author:integer"},
		{"events.update", `{"author":true}`, "author:type"},
		{"events.update", `{"start_date":true}`, "start_date:type"},
		{"events.update", `{"cost":{"a":1}}`, "cost:type"},
		{"events.update", `{"categories":[1.5]}`, "categories:terms"},
		{"events.update", `{"categories":[[1]]}`, "categories:type"},
		{"events.update", `{"categories":{"id":1}}`, "categories:terms"},
		{"events.update", `{"venue":"riverside"}`, "venue:links"},
		{"events.update", `{"venue":{"city":"nameless"}}`, "venue:inline"},
		{"events.update", `{"venue":{"venue":"x","show_map":{}}}`, "venue:inline"},
		{"events.update", `{"organizer":[{"id":"x"}]}`, "organizer:links"},
		{"events.update", `{"title":"","description":"","excerpt":"","slug":"","image":"","status":""}`,
			"title:refused_empty description:refused_empty slug:refused_empty excerpt:refused_empty status:refused_empty " +
				"image:refused_empty"},
		{"events.update", `{"title":"0"}`, "title:refused_empty"},
		{"events.update", `{"slug":"a/b"}`, "slug:slug"},
		{"events.update", `{"slug":"..."}`, "slug:slug"},
		{"events.update", `{"venue":[103,105]}`, "venue:single"},
		{"events.update", `{"venue":"103,105"}`, "venue:single"},
		{"events.update", `{"venue":[[103]]}`, "venue:type"},
		{"events.update", `{"tags":[{"id":34}]}`, "tags:terms"},
		{"events.update", `{"tags":"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u"}`, "tags:too_many_names"},
		{"events.update", `{"cost":[["1"]]}`, "cost:type"},
		{"categories.update", `{"parent":0,"description":"","slug":""}`,
			"description:refused_empty slug:refused_empty parent:refused_empty"},
		{"venues.update", `{"venue":" ","description":""}`, "venue:refused_empty description:cannot_empty"},
		{"organizers.update", `{"organizer":" ","description":" "}`, "organizer:refused_empty description:cannot_empty"},
		{"tags.create", `{"name":"` + strings.Repeat("é", 201) + `"}`, "name:too_long"},
	} {
		_, err := parseBody(t, test.endpoint, "", "", test.body)
		if got := reasons(err); got != test.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", test.endpoint, test.body, got, test.want)
		}
	}
}

func TestParseItem(t *testing.T) {
	for _, test := range []struct{ endpoint, item, path, faults string }{
		{"events.read", "0583", "/events/583", ""},
		{"events.read", "0", "/events/0", ""},
		{"events.read", strings.Repeat("0", 300), "/events/0", ""},
		{"events.read", strings.Repeat("0", 300) + "243", "/events/243", ""}, // recording single-zeros-300
		{"events.read", "0" + strings.Repeat("9", 21), "", "id:integer"},
		{"events.read", "99999999999999999999", "/events/99999999999999999999", ""},
		{"events.read", strings.Repeat("9", 21), "", "id:integer"},
		{"events.read_by_slug", "FEATURED-gala", "/events/by-slug/FEATURED-gala", ""},
		{"events.read_by_slug", "🎉-fête", "/events/by-slug/%F0%9F%8E%89-f%C3%AAte", ""},
		{"events.read_by_slug", "a b?c#d%e", "/events/by-slug/a%20b%3Fc%23d%25e", ""},
		{"events.read_by_slug", "a\x00b", "", "slug:control"},
		{"events.read_by_slug", "a\nb", "", "slug:control"},
		{"events.read_by_slug", "\xff", "", "slug:encoding"},
		{"events.read_by_slug", strings.Repeat("é", 201), "", "slug:too_long"},
	} {
		call, err := Parse(row(t, test.endpoint), http.MethodGet, Input{Item: test.item}, Drop)
		if got := reasons(err); got != test.faults {
			t.Errorf("%s %q: got %s, want %s", test.endpoint, test.item, got, test.faults)
		}
		if err == nil && call.Path() != test.path {
			t.Errorf("%s %q: got %s, want %s", test.endpoint, test.item, call.Path(), test.path)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-21":                    "2026-11-21",
		"2026/11/1":                     "2026-11-01",
		" 2026-11-21  10:00 ":           "2026-11-21 10:00:00",
		"2026-11-21 10:00:00":           "2026-11-21 10:00:00",
		"2026-11-21T10:00:00":           "2026-11-21 10:00:00",
		"2026-11-21T10:00:00Z":          "2026-11-21T10:00:00+00:00",
		"2026-11-21T10:00:00.000-00:00": "2026-11-21T10:00:00+00:00",
		"2026-11-21t10:00:00+0200":      "2026-11-21T10:00:00+02:00",
		"2026-11-21 10:00:00 UTC":       "2026-11-21T10:00:00+00:00",
		"2026-11-21 10:00 GMT+2":        "2026-11-21T10:00:00+02:00",
		"2026-11-21 10:00 utc-03:30":    "2026-11-21T10:00:00-03:30",
		"2026-11-21 10:00 +2":           "2026-11-21T10:00:00+02:00",
		"2026-11-21 10:00 CET":          "2026-11-21 10:00:00 CET",
		"2026-11-21 cest":               "2026-11-21 cest",
		"2026-11-21 10:00 Europe/Rome":  "2026-11-21 10:00:00 Europe/Rome",
		"2026-11-21 24:00:00":           "2026-11-22 00:00:00",
		"2026-12-31T24:00Z":             "2027-01-01T00:00:00+00:00",
		"2027-01-01 24:00 Asia/Tokyo":   "2027-01-02 00:00:00 Asia/Tokyo",
		"2026-11-21 America/St_Johns":   "2026-11-21 America/St_Johns",
		"21-11-2026":                    "2026-11-21",
		"1.2.2026 10:00":                "2026-02-01 10:00:00",
		"2026-11":                       "2026-11-01",
		"2026-W47":                      "2026-11-16",
		"2027-W01":                      "2027-01-04",
		"2026W53-7":                     "2027-01-03",
		"10:00":                         "10:00",
		"24:00:00":                      "24:00:00",
		"2026-11-21T10:00:00.250+05:30": "2026-11-21T10:00:00.25+05:30",
		"2028-02-29":                    "2028-02-29",
		"1798761600":                    "1798761600",
		"0":                             "now",
		"now":                           "now",
		"Tomorrow  10:00":               "Tomorrow 10:00",
		"tomorrow 10:00 GMT+2":          "tomorrow 10:00 GMT+2",
		"tomorrow Europe/Rome":          "tomorrow Europe/Rome",
		"-1":                            "-1",
		"@-5":                           "@-5",
		"@0":                            "@0",
		"+1 week":                       "+1 week",
		"-3 days":                       "-3 days",
		"next monday":                   "next monday",
		"last day of next month":        "last day of next month",
		"Sat, 21 Nov 2026 10:00:00 GMT": "2026-11-21T10:00:00+00:00",
		"21st November 2026":            "2026-11-21",
		"11/21/2026":                    "2026-11-21",
		"21.11.2026":                    "2026-11-21",
		"@1798761600":                   "@1798761600",
		"10am tomorrow":                 "10am tomorrow",
		"2026-02-30":                    "",
		"2027-02-29":                    "",
		"2027-13-45":                    "",
		"2026-11-21 24:01":              "",
		"2026-11-21T10:00:00+15:00":     "",
		"0000-01-01":                    "",
		"253402300800":                  "",
		"99999999999999999999":          "",
		"9999-12-31 24:00":              "",
		"10000-01-01":                   "",
		"31.02.2026":                    "",
		"2026-13":                       "",
		"2026-W54":                      "",
		"2027-W53":                      "",
		"2026-W47-8":                    "",
		"2026-11-21 10:00 GMT+15":       "",
		"2026-11-21 10:00 XYZ":          "",
		"2026-11-21 10:00 Rome/Europe":  "",
		"2026-11-21 10:00 Etc/GMT+2":    "",
		"tomorrow Etc/GMT+2":            "",
		"tomorrow Europe/":              "",
		"2026-11-21x":                   "",
		"24:01":                         "",
		"10:60":                         "",
		"+1":                            "",
		"1e9":                           "",
		"1798761600.5":                  "",
		"-99999999999999":               "",
		"foo":                           "",
		"not-a-date":                    "",
		"":                              "",
		"-":                             "",
		"12-34":                         "",
		"now; drop":                     "",
		"tomorrow\u00a0":                "tomorrow",
		"<now>":                         "",
	} {
		p := Param{Name: "d", Kind: DateTime}
		v, fault := p.date(text)
		if fault != nil && v.text != "" || v.text != want {
			t.Errorf("%q: got %q (%v), want %q", text, v.text, fault, want)
		}
		if want == "" {
			continue
		}
		if again, fault := p.date(v.text); fault != nil || again.text != v.text {
			t.Errorf("%q: its form %q becomes %q (%v)", text, v.text, again.text, fault)
		}
	}
}

func TestDecodeJSON(t *testing.T) {
	for _, test := range []struct {
		body string
		code int // PHP's
	}{
		{`{"title":"x","title":"y"}`, 4},
		{`{"title":"x"} {}`, 4},
		{`{"title":"x"}x`, 4},
		{`{"title":"x",}`, 4},
		{`{"title":`, 4},
		{`[1,2]`, 4},
		{`[{"title":"x"}]`, 4},
		{`[null]`, 4},
		{`[]x`, 4},
		{`"x" "y"`, 4},
		{`nul`, 4},
		{``, 4},
		{"\xef\xbb\xbf{}", 4},
		{"{\"title\":\"\xff\"}", 5},
		{`{"a":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}`, 1},
	} {
		_, err := DecodeJSON([]byte(test.body))
		var got *JSONError
		if !errors.As(err, &got) {
			t.Errorf("%s: got %v, want a JSONError", test.body, err)
			continue
		}
		if got.Code != test.code {
			t.Errorf("%s: got code %d (%v), want %d", test.body, got.Code, got.Err, test.code)
		}
	}
}

// TestDecodeJSONWithoutFields decodes JSON that has no fields, which PHP's clients send for no body at all: the
// site answers as without a body (recordings update-body-*, delete-body-*).
func TestDecodeJSONWithoutFields(t *testing.T) {
	for _, body := range []string{`[]`, ` [ ] `, `null`, `""`, `"x"`, `1`, `0.5`, `true`, `false`} {
		if got, err := DecodeJSON([]byte(body)); err != nil || got.kind != noNode {
			t.Errorf("%s: got %v (%v), want no body", body, got, err)
		}
	}
}

func TestKey(t *testing.T) {
	key := func(query, root string) string {
		call, err := parseQuery(t, "events.list", query)
		if err != nil {
			t.Fatal(err)
		}
		return call.Rooted(root).Key("s", root)
	}
	reordered := key("categories=b,a&page=1", "es")
	if diff := cmp.Diff("s:events.list:es::categories=a%2Cb&page=1&per_page=10&strict_dates=false", reordered); diff != "" {
		t.Errorf("key (-want +got):\n%s", diff)
	}
	if got := key("categories[]=a&categories[]=b&i18n_language=es", "es"); got != reordered {
		t.Errorf("the root's own language changes the key: %s", got)
	}
	if got := key("categories=a,b&i18n_language=fr", "es"); got == reordered {
		t.Error("a language without a root has the key of the root that serves it")
	}
	bySlug, err := Parse(row(t, "events.read_by_slug"), http.MethodGet, Input{Item: "a/b c"}, Drop)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bySlug.Key("s", "es"), "s:events.read_by_slug:es:a%2Fb%20c:"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	call, err := parseQuery(t, "events.read", "password=opensesame")
	if err != nil {
		t.Fatal(err)
	}
	if !call.Secret() || strings.Contains(call.Key("s", "en")+call.Canonical(), "opensesame") {
		t.Errorf("secret %t, key %s", call.Secret(), call.Key("s", "en"))
	}
}

func TestParseOfCanonicalIsTheSame(t *testing.T) {
	call, err := parseQuery(t, "categories.list", "event=5&include[]=3&include[]=1&search=%F0%9F%8E%89&hide_empty=no")
	if err != nil {
		t.Fatal(err)
	}
	again, err := parseQuery(t, "categories.list", call.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(call.Key("s", "en"), again.Key("s", "en")); diff != "" {
		t.Errorf("key (-first +again):\n%s", diff)
	}
}

func TestPositive(t *testing.T) {
	for s, want := range map[string]string{
		"1": "1", "007": "7", "123456789012345678": "123456789012345678", "9223372036854775807": "9223372036854775807",
		"9223372036854775808": "", "99999999999999999999": "", "0": "", "": "", "-1": "", "+1": "", "1a": "", "a": "",
	} {
		got, ok := ParseID(s)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %t, want %q", s, got, ok, want)
		}
	}
}

// TestUpdateParametersAreTexts: query parameters of an update become texts in its body.
func TestUpdateParametersAreTexts(t *testing.T) {
	for _, e := range Table {
		for _, p := range e.Args {
			if e.Action == Update && p.In == InQuery && p != &Language && p.Kind != Text {
				t.Errorf("%s: %s is no text", e.Name(), p.Name)
			}
		}
	}
}

// TestDateZero: 0 means now in a filter of the legacy, and in a write 1970.
func TestDateZero(t *testing.T) {
	field := Param{Name: "d", Kind: DateTime, In: InBody}
	if v, fault := field.date("0"); fault != nil || v.text != "0" {
		t.Errorf("0 in a field is %q (%v)", v.text, fault)
	}
}
