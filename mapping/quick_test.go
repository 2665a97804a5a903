package mapping

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameCall compares calls as they are compared everywhere: an endpoint is a row
// of the table and a parameter a part of it.
var sameCall = cmp.Options{
	cmp.Comparer(func(a, b *Endpoint) bool { return a == b }),
	cmp.Comparer(func(a, b *Param) bool { return a == b }),
	cmp.AllowUnexported(Node{}),
}

// FuzzQuick holds what is read without a tree to what is read from it: calls,
// what one parameter says, and what is left without one.
func FuzzQuick(f *testing.F) {
	values := []string{
		"", "0", "02", "%2B5", "-1", "100", "1.50", "yes", "b,a", "12,7,12", "+7%2C+8", "1,2,3,4,5,6,7,8,9", "a/b", ",", "now", "2026-11-21",
		"2026-02-30", "2026-11-21T10:00:00Z", "1970-01-01", "+1.0", "1e1", "fr", "jazz+night", "Caf%C3%A9+%26+co", "%ff", "%zz", "a%00b", strings.Repeat("x", 1001),
	}
	for i := range Table {
		if Table[i].Writes() {
			f.Add(i, "5", "password=x")
			continue
		}
		for _, p := range Table[i].Args() {
			for _, v := range values {
				f.Add(i, "5", p.Name+"="+v)
			}
			f.Add(i, "0", p.Name+"[]=2&"+p.Name+"[x][y]=3&"+p.Name+"=4")
			f.Add(i, "x\x00", p.Name+"=1&"+p.Name+"=1")
			f.Add(i, "5", strings.Replace(p.Name, "e", "%65", 1)+"=1&&"+p.Name)
		}
	}
	f.Add(2, "5", "i18n_language=de&search=x&per_page=7&page=3&tags=1&venue=3&status=x&featured=1&geoloc=0")
	f.Add(2, "", "include=5&start_date=now&ends_after=2027-01-01&strict_dates=1")
	f.Add(2, "", "start_date=1970-01-01&strict_dates=1")
	f.Add(2, "", "start_date=1970-01-01&strict_dates=1&include=5")
	f.Add(2, "", "geoloc_lat=1&geoloc_lng=2&colour=blue&_wpnonce=5")
	f.Add(2, "", "page+=1&page[=2")
	f.Fuzz(func(t *testing.T, row int, item, raw string) {
		query, err := DecodeQuery(raw)
		if row < 0 || row >= len(Table) || err != nil {
			return
		}
		e, in := &Table[row], Input{Item: item, Query: query}
		if got := e.quick(e.Methods[0], in); got != nil {
			want, err := e.parse(e.Methods[0], in, Reject)
			if diff := cmp.Diff(want, got, sameCall); diff != "" || err != nil {
				t.Errorf("%s?%s: %v (-parse +quick):\n%s", e.Name(), raw, err, diff)
			}
		}
		checkQuery(t, query, Language.Name)
		for _, name := range query.tree().names {
			checkQuery(t, query, name)
		}
	})
}

// checkQuery compares what q says about a name with what its tree says.
func checkQuery(t *testing.T, q Query, name string) {
	t.Helper()
	whole, one, rest := q.tree(), q.about(name), q.Without(name).tree()
	if diff := cmp.Diff(whole.lookup(name), one.lookup(name), sameCall); diff != "" {
		t.Errorf("%s: about %s (-tree +query):\n%s", q.raw, name, diff)
	}
	for _, other := range whole.names {
		want := whole.lookup(other)
		if other == name {
			want = &nothing
		}
		if diff := cmp.Diff(want, rest.lookup(other), sameCall); diff != "" {
			t.Errorf("%s: %s without %s (-tree +query):\n%s", q.raw, other, name, diff)
		}
	}
}

// TestQuick says what is read without a tree: were it nothing, no other test
// would notice.
func TestQuick(t *testing.T) {
	for _, test := range []struct {
		endpoint, query string
		want            bool
	}{
		{"events.list", "", true},
		{"events.list", "per_page=20&page=2&start_date=2026-01-01&categories=12,7&search=jazz+night", true},
		{"events.list", "search=Caf%C3%A9&tags=b%2Ca&start_date=now", true},
		{"events.list", "i18n_language=fr", true},
		{"events.list", "include=5&strict_dates=1", true},
		{"events.list", "start_date=1970-01-01", true},
		{"events.list", "start_date=1970-01-01&strict_dates=1", false},
		{"events.read", "", true},
		{"events.list", "page=1&page=2", false},
		{"events.list", "categories[]=12", false},
		{"events.list", "categories%5B%5D=12", false},
		{"events.list", "page%20=1", false},
		{"events.list", "colour=blue", false},
		{"events.list", "page=1&&per_page=2", false},
		{"events.list", "page=x", false},
		{"events.list", "search=%zz", false},
		{"events.list", "geoloc_lat=1&geoloc_lng=2", false},
		{"categories.list", "event=5", false},
		{"events.delete", "", false},
	} {
		query, err := DecodeQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		e := row(t, test.endpoint)
		if got := e.quick(e.Methods[0], Input{Item: "5", Query: query}) != nil; got != test.want {
			t.Errorf("%s?%s: got %t, want %t", test.endpoint, test.query, got, test.want)
		}
	}
}

// TestBodyOfRead: a read has no use for a body, but its names may be faults.
func TestBodyOfRead(t *testing.T) {
	body, err := DecodeJSON([]byte(`{"colour":"blue"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(row(t, "events.list"), http.MethodGet, Input{Body: body}, Reject)
	if got, want := reasons(err), "colour:unknown"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestQueryLanguage(t *testing.T) {
	for query, want := range map[string]string{
		"":                                    "",
		"page=1&i18n_language=fr":             "fr",
		"i18n_language=fr&i18n_language=es":   "es",
		"i18n%5Flanguage=fr":                  "fr",
		"i18n_language=%65s":                  "es",
		"i18n_language=xx":                    "",
		"i18n_language[]=fr":                  "",
		"i18n_language2=fr&search=%69anguage": "",
		"i18n_language%=fr":                   "",
	} {
		q, err := DecodeQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Input{Query: q}).Language(); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// FuzzCanonical holds what is taken as it is to what would be made of it.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "0", "01", "1", "50", "51", "-1", "+1", "123456789", "1234567890", "73786976294838206465", "1x", "2026-11-21", "2026-02-30", "2026-11-21 10:00:00",
		"fr", "x y", "x\x00", "x\x7f", "\u00e9", strings.Repeat("x", 1000), strings.Repeat("x", 1001)} {
		f.Add(s)
	}
	params := []*Param{{Name: "bounded", Kind: Integer, Min: 5, Max: 20}}
	for i := range Table {
		params = append(params, Table[i].slots.params...)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range params {
			if !p.isCanonical(s) {
				continue
			}
			v, fault := p.normalize(&Node{kind: rawText, text: s})
			if fault != nil || !v.given() || v.text != s {
				t.Errorf("%s=%q becomes %q (%v)", p.Name, s, v.text, fault)
			}
		}
	})
}

// FuzzMembers holds the short cut of a set to the long way.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{"", "1", "07, 3", "b,a,b", "a b", "a/b", "\u00e9", "\x00", "1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8,9", strings.Repeat("x", 1001)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, kind := range []Kind{IDSet, TermSet} {
			p := Param{Name: "s", Kind: kind}
			n := Node{kind: rawText, text: s}
			got, ok := p.plainSet(s)
			members, fault := p.members(&n)
			if few := fault == nil && len(members) <= usualItems && isPlain(s) && len(s) <= p.Limit(); few != ok {
				t.Errorf("%q: taken %t, want %t", s, ok, few)
			}
			if want := sorted(members); ok && (fault != nil || got != want) {
				t.Errorf("%q: got %q, want %q (%v)", s, got, want, fault)
			}
		}
	})
}
