package survey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// shelf is a site with one list, events in English, and nothing else.
type shelf struct {
	ids   []int
	title func(id int) string // nil returns the id
	start func(id int) string // nil returns a time for all

	override func(call *mapping.Call) (compare.Document, error) // may return another response than the shelf does
	calls    atomic.Int64
}

func numbers(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i + 1
	}
	return ids
}

func okf(format string, args ...any) compare.Document {
	return compare.Document{Status: http.StatusOK, Body: fmt.Appendf(nil, format, args...)}
}

var notThere = compare.Document{Status: http.StatusNotFound,
	Body: []byte(`{"code":"rest-event-not-found","message":"","data":{"status":404}}`)}

func (s *shelf) answer(_ context.Context, call *mapping.Call, language string) (compare.Document, error) {
	s.calls.Add(1)
	if s.override != nil && language == "en" {
		if d, err := s.override(call); d.Status != 0 || err != nil {
			return d, err
		}
	}
	resource := call.Endpoint.Resource
	switch {
	case call.Endpoint.Action != mapping.List:
		id, err := strconv.Atoi(strings.TrimPrefix(call.Item, "e"))
		if err != nil || !slices.Contains(s.ids, id) {
			return notThere, nil
		}
		return okf("%s", s.item(id)), nil
	case resource != "events" || language != "en":
		return okf(`{"%s":[],"total":0,"total_pages":0}`, resource), nil
	}
	return s.page(call.Page()), nil
}

func (s *shelf) item(id int) string {
	title := strconv.Itoa(id)
	if s.title != nil {
		title = s.title(id)
	}
	start := "2027-01-01 10:00:00"
	if s.start != nil {
		start = s.start(id)
	}
	return fmt.Sprintf(`{"id":%d,"slug":"e%d","title":%q,"start_date":%q}`, id, id, title, start)
}

const onPage = 50

func (s *shelf) page(n int) compare.Document {
	var items []string
	for _, id := range s.ids[min((n-1)*onPage, len(s.ids)):min(n*onPage, len(s.ids))] {
		items = append(items, s.item(id))
	}
	return okf(`{"events":[%s],"total":%d,"total_pages":%d}`, strings.Join(items, ","), len(s.ids), (len(s.ids)+onPage-1)/onPage)
}

func (s *shelf) list() *listing {
	return newListing(s.answer, collectionsOf([]string{"en"})[0])
}

func TestListingEnds(t *testing.T) {
	forEver := okf(`{"events":[{"id":1}],"total":1000000,"total_pages":1000000}`)
	for _, test := range []struct {
		name   string
		site   *shelf
		pages  int
		items  int
		broken bool
	}{
		{"empty", &shelf{}, 1, 0, false},
		{"one page", &shelf{ids: numbers(50)}, 1, 50, false},
		{"three", &shelf{ids: numbers(101)}, 3, 101, false},
		{"an item twice", &shelf{ids: []int{1, 2, 1}}, 1, 2, false},
		{"one that goes on for ever", &shelf{override: func(*mapping.Call) (compare.Document, error) { return forEver, nil }}, 2, 1, false},
		{"an error", &shelf{ids: numbers(101), override: func(c *mapping.Call) (compare.Document, error) {
			if c.Page() == 2 {
				return notThere, nil
			}
			return compare.Document{}, nil
		}}, 2, 50, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := test.site.list()
			pages := 0
			broken := false
			for l.next != nil {
				l.advance(t.Context())
				pages = pages + 1
				broken = broken || l.page.problem != nil
			}
			if pages != test.pages || len(l.items) != test.items || broken != test.broken {
				t.Errorf("%d items on %d pages, broken: %t; want %d on %d, %t", len(l.items), pages, broken, test.items, test.pages,
					test.broken)
			}
		})
	}
}

func TestSampled(t *testing.T) {
	collections := collectionsOf([]string{"en", "es"})
	chosen := func(c collection, sample, total int) (ids []string) {
		for _, id := range numbers(total) {
			if sampled(c, strconv.Itoa(id), sample, total) {
				ids = append(ids, strconv.Itoa(id))
			}
		}
		return ids
	}
	for _, test := range []struct{ sample, total, least, maximum int }{{0, 100, 100, 100}, {200, 100, 100, 100}, {100, 100, 100, 100},
		{100, 10_000, 60, 140}} {
		for _, c := range collections {
			if n := len(chosen(c, test.sample, test.total)); n < test.least || n > test.maximum {
				t.Errorf("%s: %d of %d, want about %d", c, n, test.total, test.sample)
			}
		}
	}
	once := chosen(collections[0], 100, 10_000)
	if diff := cmp.Diff(once, chosen(collections[0], 100, 10_000)); diff != "" {
		t.Error("the sample is another one the second time:", diff)
	}
	if slices.Equal(once, chosen(collections[5], 100, 10_000)) {
		t.Error("the sample is the same in another language")
	}
}

func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now := 0
		maximum := 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			maximum = max(maximum, now)
		}
		var got []int
		err := inOrder(numbers(200), func(i int) int {
			count(1)
			defer count(-1)
			time.Sleep(time.Duration(1+i%3) * time.Second) // of the bubble: all that can begin has begun
			return 2 * i
		}, func(i int) error {
			got = append(got, i/2)
			return nil
		})
		if err != nil || maximum != atOnce {
			t.Errorf("%v, and %d at once, want %d", err, maximum, atOnce)
		}
		if diff := cmp.Diff(numbers(200), got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestInOrderEnds: with an error.
func TestInOrderEnds(t *testing.T) {
	enough := errors.New("enough")
	began := atomic.Int64{}
	err := inOrder(numbers(100), func(i int) int {
		began.Add(1)
		return i
	}, func(i int) error {
		if i == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || began.Load() != atOnce {
		t.Errorf("got %v after %d", err, began.Load())
	}
}

func TestPatience(t *testing.T) {
	later := func(seconds string) error {
		return &statusError{status: 503, header: http.Header{"Retry-After": {seconds}}}
	}
	for _, test := range []struct {
		name  string
		errs  []error // of the first calls
		calls int
		wait  time.Duration
		fails bool
	}{
		{"at once", nil, 1, 0, false},
		{"an error that says nothing", []error{errors.New("no")}, 1, 0, true},
		{"one that waits", []error{later("7")}, 2, 7 * time.Second, false},
		{"a facade", []error{&statusError{
			status: 429,
			header: http.Header{"Retry-After": {"3"}},
		}}, 2, 3 * time.Second, false},
		{"too long", []error{later("600")}, 2, maxPatience, false},
		{"for ever", slices.Repeat([]error{later("1")}, 100), maxTries, (maxTries - 1) * time.Second, true},
		{"nonsense", []error{later("-1")}, 1, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			began := time.Now()
			reader := Paced(func(context.Context, *mapping.Call, string) (compare.Document, error) {
				calls++
				if calls <= len(test.errs) {
					return compare.Document{}, test.errs[calls-1]
				}
				return okf("{}"), nil
			}, 0)
			_, err := reader(t.Context(), nil, "en")
			elapsed := time.Since(began)
			if calls != test.calls || elapsed != test.wait || (err != nil) != test.fails {
				t.Errorf("%s: %d calls, %v, %v; want %d, %v, fails: %t", test.name, calls, elapsed, err, test.calls, test.wait, test.fails)
			}
		})
	}
}

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := Paced(new(shelf).answer, 10)
		began := time.Now()
		for range 21 {
			if _, err := reader(t.Context(), collectionsOf([]string{"en"})[0].list, "en"); err != nil {
				t.Fatal(err)
			}
		}
		if elapsed := time.Since(began); elapsed != 2*time.Second {
			t.Errorf("21 calls: %v, want 2s", elapsed)
		}
	})
}
