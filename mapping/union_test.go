package mapping

import (
	"fmt"
	"net/http"
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
		calls := 0
		_, err = tribe.Unite(call, tribe.Parts(call), func(*Call) (Reply, error) {
			calls++
			return Reply{Status: http.StatusOK, Header: http.Header{},
				Body: fmt.Appendf(nil, `{"events":{"1":{"id":%d}},"total_pages":"%d"}`, calls, test.pages)}, nil
		})
		if refused := err != nil && reasons(err) == "tags:too_many_together"; refused != test.refused || calls != test.calls {
			t.Errorf("%d pages: %d calls, %v", test.pages, calls, err)
		}
	}
}
