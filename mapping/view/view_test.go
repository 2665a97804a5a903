package view

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// viewOf returns the call of a row with a view.
func viewOf(t testing.TB, row, query string) *mapping.Call {
	t.Helper()
	node, err := mapping.DecodeForm(query)
	if err != nil {
		t.Fatal(err)
	}
	call, err := mapping.Parse(mappingtest.Row(t, row), http.MethodGet, mapping.Input{Item: "5", Query: node, Extensions: true}, mapping.Reject)
	if err != nil {
		t.Fatal(query, err)
	}
	return call
}

const event = `{"id":5,"title":"R&amp;B \u2013 <b>x<\/b>","cost":"&euro;5","image":false,` +
	`"venue":{"id":7,"venue":"A &amp; B","address":"1 &amp; 2", "extra" : [1, {"venue":"x"}]},` +
	`"organizer":[{"id":8,"organizer":"O&#8217;M"},{"id":9}],"categories":{"0":{"id":1,"name":"x"},"2":{"id":2,"name":"y"}},` +
	`"tags":[],"plugin":{"title":"R&amp;B"},"website":"https:\/\/a.example\/?a=1&amp;b=2","json_ld":{"name":"R&amp;B"}}`

func TestOf(t *testing.T) {
	for _, test := range []struct{ row, query, body, want string }{
		{"events.read", "fields=title,id", event, `{"id":5,"title":"R&amp;B \u2013 <b>x<\/b>"}`},
		{"events.read", "fields=venue.venue,venue.id", event, `{"venue":{"id":7,"venue":"A &amp; B"}}`},
		{"events.read", "fields=venue", `{ "venue" : {"id" : 7 } , "id":5}`, `{"venue" : {"id" : 7 }}`},
		{"events.read", "fields=venue.venue,image.url,tags.name", event, `{"image":false,"venue":{"venue":"A &amp; B"},"tags":[]}`},
		{"events.read", "fields=organizer.organizer", event, `{"organizer":[{"organizer":"O&#8217;M"},{}]}`},
		{"events.read", "fields=categories.name", event, `{"categories":{"0":{"name":"x"},"2":{"name":"y"}}}`},
		{"events.read", "fields=slug", event, `{}`},
		{"events.read", "fields=id", `{"id":1,"x":2,"id":3}`, `{"id":1,"id":3}`},
		{"events.read", "fields=image.sizes.a.url", `{"image":{"url":"x","sizes":{"a":{"url":"y","width":1},"b":{"url":"z"}}}}`,
			`{"image":{"sizes":{"a":{"url":"y"}}}}`},
		{"events.read", "fields=venue.venue", `{"venue":[{"id":1,"venue":"a"},[{"venue":"b"}]]}`, `{"venue":[{"venue":"a"},[{"venue":"b"}]]}`},
		{"events.read", "texts=plain", event, strings.NewReplacer(`R&amp;B \u2013 <b>x<\/b>`, `R&B – x`, `&euro;`, `€`, `A &amp; B`, `A & B`,
			`O&#8217;M`, `O’M`).Replace(event)},
		{"events.read", "texts=plain&fields=title,venue.venue", event, `{"title":"R&B – x","venue":{"venue":"A & B"}}`},
		{"events.read", "texts=plain", `{"title":[],"description":null,"cost":5}`, `{"title":[],"description":null,"cost":5}`},
		{"events.read", "texts=plain", `{"title":"&lt;\"b\"&gt;\ud83c"}`, `{"title":"<\"b\">` + "\ufffd" + `"}`},
		{"tags.read", "texts=plain&fields=name", `{"id":1,"name":"a &amp; b"}`, `{"name":"a & b"}`},
		{"events.list", "fields=id&texts=plain",
			`{"events":[{"id":1,"title":"a"},{"id":2}],"rest_url":"https:\/\/a\/?page=1","next_rest_url":"https:\/\/a\/?page=2","total":2}`,
			`{"events":[{"id":1},{"id":2}],"rest_url":"https:\/\/a\/?page=1&fields=id&texts=plain",` +
				`"next_rest_url":"https:\/\/a\/?page=2&fields=id&texts=plain","total":2}`},
		{"events.list", "texts=plain", `{"events":[{"id":1,"title":"&amp;"}],"rest_url":"/?page=1"}`,
			`{"events":[{"id":1,"title":"&"}],"rest_url":"/?page=1&texts=plain"}`},
		{"events.list", "fields=id,venue.venue", `{"events":{"0":{"id":1,"venue":[]},"3":{"id":2,"venue":{"venue":"a","id":7}}},"x":1}`,
			`{"events":{"0":{"id":1,"venue":[]},"3":{"id":2,"venue":{"venue":"a"}}},"x":1}`},
		{"categories.list", "fields=name,parent", `{"categories":[{"name":"a","parent":0,"id":1}],"previous_rest_url":"/?page=1"}`,
			`{"categories":[{"name":"a","parent":0}],"previous_rest_url":"/?page=1&fields=name%2Cparent"}`},
	} {
		got, err := Of(viewOf(t, test.row, test.query), []byte(test.body))
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s: got %s, %v, want %s", test.row, test.query, got, err, test.want)
		}
	}
	for _, broken := range []string{"", "{", `{"id":5`, `{"id":5}x`, `{"title":"a`, `{"venue":{"venue":"a"`, "\xff"} {
		if got, err := Of(viewOf(t, "events.read", "fields=title,venue.venue&texts=plain"), []byte(broken)); err == nil {
			t.Errorf("%q: %s", broken, got)
		}
	}
}

func TestLinks(t *testing.T) {
	const links = `<https://a/?page=2&x=1>; rel="next", <https://a/?page=0>; rel="prev"`
	want := `<https://a/?page=2&x=1&fields=id>; rel="next", <https://a/?page=0&fields=id>; rel="prev"`
	if got := Links(viewOf(t, "events.list", "fields=id"), links); got != want {
		t.Errorf("got %s", got)
	}
}

// fuzzRows are the rows and views of the fuzz target.
var fuzzRows = []struct{ row, query string }{
	{"events.read", "fields=id,title,venue.venue,image.sizes.a.url,organizer.image.url"},
	{"events.read", "texts=plain"},
	{"events.read", "fields=title,categories.name,custom_fields&texts=plain"},
	{"events.list", "fields=id,title,venue.venue"},
	{"events.list", "fields=title,venue,tags.name&texts=plain"},
	{"venues.read", "fields=venue,description,image.url&texts=plain"},
	{"categories.list", "fields=name,urls.self"},
}

// FuzzOf: a view of valid JSON is valid JSON, bounded, has nothing that the response does not have, and of members
// that the view selects the same bytes.
func FuzzOf(f *testing.F) {
	for i := range fuzzRows {
		f.Add(i, []byte(event))
		f.Add(i, []byte(`{"events":[`+event+`],"categories":[{"name":"a"}],"rest_url":"/?page=1","total":1}`))
		f.Add(i, []byte(strings.Repeat(`{"venue":[`, 500)+strings.Repeat(`]}`, 500)))
	}
	f.Fuzz(func(t *testing.T, row int, body []byte) {
		if row < 0 || row >= len(fuzzRows) {
			return
		}
		call := viewOf(t, fuzzRows[row].row, fuzzRows[row].query)
		got, err := Of(call, body)
		if valid := jsonscan.IsValid(body); valid != (err == nil) {
			t.Fatalf("%q: valid %t: %v", body, valid, err)
		}
		if err != nil {
			return
		}
		if !jsonscan.IsValid(got) || len(got) > 3*len(body)+4*len(call.View.Query()) {
			t.Fatalf("%q: %q", body, got)
		}
		if call.Endpoint.Action == mapping.Read && !call.View.Plain() {
			checkMembers(t, body, got, call.View.Fields(), "")
		}
	})
}

// checkMembers fails unless the members of shown are the selected members of the object whole.
func checkMembers(t *testing.T, whole, shown []byte, fields []string, prefix string) {
	t.Helper()
	if jsonscan.NewScanner(whole).Peek() != '{' {
		if string(whole) != string(shown) && jsonscan.NewScanner(whole).Peek() != '[' {
			t.Fatalf("%s: %q of %q", prefix, shown, whole)
		}
		return
	}
	var want, got []string
	for name, v := range jsonscan.Each(whole) {
		if slices.Contains(fields, prefix+name) {
			want = append(want, name+":"+string(v))
		}
	}
	for name, v := range jsonscan.Each(shown) {
		if slices.Contains(fields, prefix+name) {
			got = append(got, name+":"+string(v))
		} else if !slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, prefix+name+".") }) && !jsonscan.IsIndex(name) {
			t.Fatalf("%q shows %s%s of %q", shown, prefix, name, whole)
		}
	}
	if !slices.Equal(want, got) {
		t.Fatalf("%q: got %q, want %q", whole, got, want)
	}
}
