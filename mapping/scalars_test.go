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
		{Param{Kind: Integer, In: InBody}, " 7", "integer"},
		{Param{Kind: Integer, In: InBody}, "7.0", "integer"},
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

// TestCounts: both fields of a dialect are needed to count a list, and an invalid count is
// 0.
func TestCounts(t *testing.T) {
	for _, d := range []*Dialect{Tribe, Neutral} {
		h := http.Header{}
		h.Set(d.Total, "0")
		if d.Counts(h) {
			t.Errorf("%s: counted without the pages", d.Namespace)
		}
		if h.Set(d.TotalPages, "0"); !(Backend{Dialect: d}).Counts(h) {
			t.Errorf("%s: not counted by %v", d.Namespace, h)
		}
		other := map[*Dialect]*Dialect{Tribe: Neutral, Neutral: Tribe}[d]
		if other.Counts(h) {
			t.Errorf("%s is counted by %v", other.Namespace, h)
		}
	}
	for text, want := range map[string]int{"12": 12, "0": 0, "": 0, "-1": 0, "x": 0, "1.5": 0, "99999999999999999999": 0} {
		h := http.Header{}
		h.Set(HeaderTotal, text)
		if got := HeaderCount(h, HeaderTotal); got != want {
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
		{"GET", 400, true}, {"GET", 404, true}, {"GET", 410, true}, {"GET", 429, true}, {"GET", 499, true}, {"GET", 500, false}, {"GET", 503, false},
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
