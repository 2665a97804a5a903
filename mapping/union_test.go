package mapping

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestUnionIsBounded: the pages of all parts count.
func TestUnionIsBounded(t *testing.T) {
	for _, test := range []struct {
		pages, calls int
		refused      bool
	}{{1, 2, false}, {5, 10, false}, {6, 2, true}, {1 << 40, 1, true}} {
		call, err := parseQuery(t, "events.list", "tags=a,b&start_date=2027-01-01&end_date=2028-01-01")
		if err != nil {
			t.Fatal(err)
		}
		u, calls := tribe.Union(call), 0
		var next *Call
		for next, err = u.Next(); next != nil && err == nil; next, err = u.Next() {
			calls++
			if err := u.Add(next, fmt.Appendf(nil, `{"events":{"1":{"id":%d}},"total_pages":%d}`, calls, test.pages)); err != nil {
				t.Fatal(err)
			}
		}
		if refused := err != nil && reasons(err) == "tags:too_many_together"; refused != test.refused || calls != test.calls {
			t.Errorf("%d pages: %d calls, %v", test.pages, calls, err)
		}
	}
}

// TestInOrder: in the legacy's names the site gets the tags as they were sent, and the response is
// another one than that in neutral names.
func TestInOrder(t *testing.T) {
	const query = "per_page=50&tags[]=talk&tags[]=free&tags[]=7,talk"
	call, err := parseQuery(t, "events.list", query)
	if err != nil {
		t.Fatal(err)
	}
	in, err := DecodeQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	sent := call.InOrder(Input{Query: in})
	if tribe.Union(call) == nil || tribe.Union(sent) != nil || sent.Key("en") == call.Key("en") {
		t.Errorf("key %s", sent.Key("en"))
	}
	if got := tribe.Translate(sent, ""); got.Method != http.MethodGet || !strings.Contains(got.Query, "tags=talk%2Cfree%2C7%2Ctalk") {
		t.Errorf("got %s", got.Query)
	}
	if single, _ := parseQuery(t, "events.list", "tags=5"); tribe.Union(single) != nil || single.InOrder(Input{}) != single {
		t.Error("one tag is a union")
	}
}
