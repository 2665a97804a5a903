package tribe

import (
	"fmt"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// TestUnionIsBounded: the pages of all parts count.
func TestUnionIsBounded(t *testing.T) {
	for _, test := range []struct {
		pages, calls int
		refused      bool
	}{{1, 2, false}, {5, 10, false}, {6, 2, true}, {1 << 40, 1, true}} {
		call, err := mappingtest.ParseQuery(t, "events.list", "tags=a,b&start_date=2027-01-01&end_date=2028-01-01")
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		_, err = send(legacy, call, nil, func(*mapping.Call) ([]byte, error) {
			calls++
			return fmt.Appendf(nil, `{"events":{"1":{"id":%d}},"total_pages":"%d"}`, calls, test.pages), nil
		})
		if refused := err != nil && reasons(err) == "tags:too_many_together"; refused != test.refused || calls != test.calls {
			t.Errorf("%d pages: %d calls, %v", test.pages, calls, err)
		}
	}
}
