package mapping

import (
	"net/http"
	"testing"
)

// TestNumbers: numbers in queries and bodies. A query is parsed like PHP does.
func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		param Param
		text  string
		want  string // the canonical form, or the reason of the fault
	}{
		{Param{Kind: Integer}, "7", "7"},
		{Param{Kind: Integer}, "007", "7"},
		{Param{Kind: Integer}, "+7", "7"},
		{Param{Kind: Integer}, " 7 ", "7"},
		{Param{Kind: Integer}, "7.0", "7"},
		{Param{Kind: Integer}, "1e2", "100"},
		{Param{Kind: Integer}, "7.5", "integer"},
		{Param{Kind: Integer}, "+-7", "integer"},
		{Param{Kind: Integer}, "0x10", "integer"},
		{Param{Kind: Integer}, "1_000", "integer"},
		{Param{Kind: Integer}, "Inf", "integer"},
		{Param{Kind: Integer}, "1e300", "integer"},
		{Param{Kind: Integer}, "-1", "min"},
		{Param{Kind: Integer, Min: -5}, "-5", "-5"},
		{Param{Kind: Integer, Min: 1}, "0", "min"},
		{Param{Kind: Integer, Min: 1, Max: 9}, "10", "between"},
		{Param{Kind: Integer, Min: 1, Max: 9}, "9", "9"},
		{Param{Kind: Integer, Cap: 50}, "51", "50"},
		{Param{Kind: Integer, In: InBody}, " 7", "7"},
		{Param{Kind: Integer, In: InBody}, "7.0", "7"},
		{Param{Kind: Integer, In: InBody}, "7", "7"},
		{Param{Kind: Number, Min: -90, Max: 90}, "90", "90"},
		{Param{Kind: Number, Min: -90, Max: 90}, "90.01", "between"},
		{Param{Kind: Number, Min: -90, Max: 90}, "-0.0", "0"},
		{Param{Kind: Number, Min: -90, Max: 90}, "1.50", "1.5"},
		{Param{Kind: Number, Min: -90, Max: 90}, "5e-1", "0.5"},
		{Param{Kind: Number, Min: -90, Max: 90}, "NaN", "number"},
		{Param{Kind: Number, Min: -90, Max: 90}, "0x1p2", "number"},
		{Param{Kind: Number, Min: -90, Max: 90}, "", "number"},
	} {
		v, fault := test.param.normalize(&Node{kind: rawText, text: test.text})
		got := v.text
		if fault != nil {
			got = fault.Reason
		}
		if got != test.want {
			t.Errorf("%s %q: got %s, want %s", test.param.Kind, test.text, got, test.want)
		}
	}
}

// TestNumbersInJSON: a whole number in JSON is one in a field, 7.0 too. Texts are as strict
// as the site's schemas.
func TestNumbersInJSON(t *testing.T) {
	for _, test := range []struct{ endpoint, body, want string }{
		{"categories.update", `{"parent":7.0}`, `{"parent":7}`},
		{"categories.update", `{"parent":1e1}`, `{"parent":10}`},
		{"categories.update", `{"parent":"7"}`, `{"parent":7}`},
		{"categories.update", `{"parent":7.5}`, "parent:integer"},
		{"categories.update", `{"parent":9007199254740993.0}`, "parent:integer"},
		{"events.update", `{"author":2.00}`, `{"author":2}`},
		{"events.update", `{"venue":7.0,"organizer":[8.0,{"id":9.0},8],"tags":[34.0,"x"],"categories":10.0}`,
			`{"categories":[10],"tags":[34,"x"],"venue":7,"organizer":[8,{"id":9}]}`},
		{"events.update", `{"venue":7.5,"organizer":[{"id":1.5}],"tags":[-1.0],"categories":[1e300]}`,
			"categories:terms tags:terms venue:links organizer:links"},
		{"events.update", `{"venue":0.0,"categories":[0.0]}`, `{"categories":[],"venue":[]}`},
		{"events.update", `{"categories":{"x":5}}`, "categories:terms"},
		{"events.update", `{"categories":{}}`, "categories:terms"},
		{"events.update", `{"tags":{"id":5,"name":"x"}}`, "tags:terms"},
		{"events.update", `{"image":100.0}`, `{"image":"100"}`},
	} {
		body, err := DecodeJSON([]byte(test.body))
		checkUpdate(t, test.endpoint, test.body, body, err, test.want)
	}
}

// checkUpdate wants the body of the call that an update becomes, or its faults.
func checkUpdate(t *testing.T, endpoint, value string, body Node, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	call, err := Parse(row(t, endpoint), http.MethodPut, Input{Item: "5", Body: body}, Drop)
	got := reasons(err)
	if err == nil {
		got = string(API{Dialect: plain}.Translate(call, "").Body)
	}
	if got != want {
		t.Errorf("%s %s:\ngot  %s\nwant %s", endpoint, value, got, want)
	}
}

// TestNumbersInForms: a form is read as a query is.
func TestNumbersInForms(t *testing.T) {
	for _, test := range []struct{ endpoint, form, want string }{
		{"categories.update", "parent=+7&name=x", `{"name":"x","parent":7}`},
		{"categories.update", "parent=7.0", `{"parent":7}`},
		{"events.update", "author=%2B1e1", `{"author":10}`},
		{"events.update", "venue=7.0&organizer[]=+8+&organizer[][id]=9.0", `{"venue":7,"organizer":[8,{"id":9}]}`},
		{"events.update", "venue=7.5", "venue:links"},
		{"events.update", "categories[]=+10&tags[]=1e1&tags[]=2.0", `{"categories":[10],"tags":["1e1","2.0"]}`},
		{"events.update", "categories[x]=5&categories[y]=music&tags[a]=34", `{"categories":[5,"music"],"tags":[34]}`},
		{"events.update", "categories[a]=5&categories[]=6&categories[a]=7&categories[]=8", `{"categories":[7,6,8]}`},
		{"events.update", "categories[0][x]=5", "categories:terms"},
		{"events.update", "categories[x][y]=5", "categories:terms"},
		{"events.update", "categories[x][]=5&tags[a]=,", "categories:type"},
	} {
		body, err := DecodeForm(test.form)
		checkUpdate(t, test.endpoint, test.form, body, err, test.want)
	}
}

// TestNumbersInTexts: to PHP a text of JSON is a text of a form (recordings create-author-*).
func TestNumbersInTexts(t *testing.T) {
	for _, test := range []struct{ endpoint, body, want string }{
		{"events.update", `{"author":"1.0"}`, `{"author":1}`},
		{"events.update", `{"author":"1e0"}`, `{"author":1}`},
		{"events.update", `{"author":" 1"}`, `{"author":1}`},
		{"events.update", `{"author":"1.5"}`, "author:integer"},
		{"events.update", `{"author":""}`, "author:integer"},
		{"categories.update", `{"parent":"7.0"}`, `{"parent":7}`},
		{"categories.update", `{"parent":"+7"}`, `{"parent":7}`},
		{"events.update", `{"venue":"7.0","organizer":[" 8 ",{"id":"9.0"}]}`, `{"venue":7,"organizer":[8,{"id":9}]}`},
		{"events.update", `{"venue":"7.5"}`, "venue:links"},
		{"events.update", `{"tags":["2.0"],"categories":["1e1"]}`, `{"categories":["1e1"],"tags":["2.0"]}`},
	} {
		body, err := DecodeJSON([]byte(test.body))
		checkUpdate(t, test.endpoint, test.body, body, err, test.want)
	}
}

// TestCounts: both fields of a dialect are needed to count a list, and an invalid count is
// 0.
func TestCounts(t *testing.T) {
	for _, d := range []*Dialect{plain, Neutral} {
		h := http.Header{}
		h.Set(d.Total, "0")
		if d.Counts(h) {
			t.Errorf("%s: counted without the pages", d.Namespace)
		}
		h.Set(d.TotalPages, "0")
		if !d.Counts(h) {
			t.Errorf("%s: not counted by %v", d.Namespace, h)
		}
		successor := map[*Dialect]*Dialect{plain: Neutral, Neutral: plain}[d]
		if successor.Counts(h) {
			t.Errorf("%s is counted by %v", successor.Namespace, h)
		}
	}
	for text, want := range map[string]int{"12": 12, "0": 0, "": 0, "-1": 0, "x": 0, "1.5": 0, "99999999999999999999": 0} {
		h := http.Header{}
		h.Set(HeaderTotal, text)
		if got := ParseCount(h.Get(HeaderTotal)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

// TestAnswers: the statuses of a backend that clients see. Redirects, failures, and
// statuses about the connection to the facade are not passed on.
func TestAnswers(t *testing.T) {
	e := row(t, "events.update")
	for _, test := range []struct {
		method string
		status int
		want   bool
	}{
		{"GET", 200, true}, {"GET", 201, false}, {"GET", 204, false}, {"GET", 206, false}, {"GET", 304, false}, {"GET", 302, false},
		{"GET", 400, true}, {"GET", 404, true}, {"GET", 410, true}, {"GET", 429, true}, {"GET", 499, true}, {"GET", 500, false},
		{"GET", 503, false},
		{"GET", 407, false}, {"GET", 408, false}, {"GET", 421, false}, {"GET", 425, false}, {"GET", 426, false},
		{"POST", 200, true}, {"POST", 201, false}, {"POST", 202, false}, {"POST", 204, false}, {"DELETE", 200, true}, {"POST", 101, false},
	} {
		if got := e.Answers(Request{Method: test.method}, test.status); got != test.want {
			t.Errorf("%s %d: got %t", test.method, test.status, got)
		}
	}
	create := row(t, "events.create")
	for status, want := range map[int]bool{http.StatusOK: false, http.StatusCreated: true} {
		if got := create.Answers(Request{Method: "POST"}, status); got != want {
			t.Errorf("create %d: got %t", status, got)
		}
	}
}

// TestMasked: a masked call has no password, and the call preserves it.
func TestMasked(t *testing.T) {
	call, err := parseQuery(t, "events.read", "password=hunter2&i18n_language=fr")
	if err != nil {
		t.Fatal(err)
	}
	masked := call.Masked()
	if got := masked.Value("password"); got != "***" || masked.Value("i18n_language") != "fr" {
		t.Errorf("masked: %q, language %q", got, masked.Value("i18n_language"))
	}
	if got := call.Value("password"); got != "hunter2" || !call.Secret() {
		t.Errorf("the call has %q", got)
	}
	if got := call.Canonical(); got != "i18n_language=fr" {
		t.Errorf("canonical: %s", got)
	}
}
