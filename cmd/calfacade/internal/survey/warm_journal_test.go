package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/calfacade/calfacade/mapping/rewrite"
)

// longFacade has one long list, and notes which of its items are requested.
type longFacade struct {
	items int
	fails int // id of an item with a failure; 0 for none
	cut   func()
	at    int // the number of items at which cut is called

	mu  sync.Mutex
	ids []int
}

// RoundTrip implements [http.RoundTripper].
func (f *longFacade) RoundTrip(r *http.Request) (*http.Response, error) {
	resource, status, body := path.Base(r.URL.Path), http.StatusOK, `{}`
	if id, err := strconv.Atoi(resource); err == nil {
		if f.note(id); id == f.fails {
			status = http.StatusBadGateway
		}
	} else {
		body = f.list(resource, r.URL.Query().Get("page"))
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Cache-Status": {"calfacade; hit"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (f *longFacade) note(id int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids = append(f.ids, id); len(f.ids) == f.at {
		f.cut()
	}
}

func (f *longFacade) list(resource, page string) string {
	const per = 50
	n, err := strconv.Atoi(page)
	if err != nil || resource != "events" {
		return fmt.Sprintf(`{%q:[],"total":0,"total_pages":0}`, resource)
	}
	var items []string
	for id := (n-1)*per + 1; id <= min(n*per, f.items); id++ {
		items = append(items, fmt.Sprintf(`{"id":%d}`, id))
	}
	return fmt.Sprintf(`{"events":[%s],"total":%d,"total_pages":%d}`, strings.Join(items, ","), f.items, (f.items+per-1)/per)
}

// warmWith warms f with a journal, and returns the ids that it requested in their order.
func warmWith(t *testing.T, f *longFacade, file string) (ids []int, w Warmed, err error) {
	t.Helper()
	ctx, cut := context.WithCancel(t.Context())
	f.cut, f.ids = cut, nil
	defer cut()
	j, err := OpenWarmJournal(file, WarmSubject{Roots: map[string]string{"en": "http://facade.example"}})
	if err != nil {
		t.Fatal(err)
	}
	warmer := NewWarmer(WarmOptions{Concurrency: 1, MaxBody: 1 << 20, Journal: j, Roots: []rewrite.Root{{Language: "en", Public: "http://facade.example"}}})
	warmer.client.Transport = f
	err = warmer.Run(ctx, []string{"en"}, io.Discard)
	w = warmer.Warmed()
	if err := j.Close(err == nil && w.Failed == 0); err != nil {
		t.Fatal(err)
	}
	return f.ids, w, err
}

func countTo(first, last int) (ids []int) {
	for id := first; id <= last; id++ {
		ids = append(ids, id)
	}
	return ids
}

// TestWarmContinues: an interrupted run continues, with the last items again, and so does one
// with failures. A run without failures leaves no journal.
func TestWarmContinues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journal")
	f := &longFacade{items: 900, at: 701}
	if ids, _, err := warmWith(t, f, file); !errors.Is(err, ErrCutOff) || len(ids) != 701 {
		t.Fatalf("%d items, %v", len(ids), err)
	}
	torn, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"cell":"en events","id":"70`); err != nil {
		t.Fatal(err)
	}
	torn.Close()
	f.at, f.fails = 0, 800
	ids, w, err := warmWith(t, f, file)
	if want := countTo(700-repeated+1, 900); err != nil || !slices.Equal(ids, want) || w.Resumed != 700-repeated || w.Failed != 1 {
		t.Fatalf("continued with items %v to %v, %+v, %v", ids[0], ids[len(ids)-1], w, err)
	}
	f.fails = 0
	ids, w, err = warmWith(t, f, file)
	if want := slices.Concat(countTo(900-repeated, 900)); err != nil || !slices.Equal(ids, want) || w.Failed != 0 {
		t.Fatalf("after a failure: items %v to %v, %+v, %v", ids[0], ids[len(ids)-1], w, err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal of a run that is done: %v", err)
	}
	if ids, w, err = warmWith(t, f, file); err != nil || len(ids) != 900 || w.Resumed != 0 {
		t.Errorf("the next run: %d items, %+v, %v", len(ids), w, err)
	}
}

// TestWarmAnnounces: before the first item is requested, the progress knows how much there is.
func TestWarmAnnounces(t *testing.T) {
	t.Parallel()
	f := &longFacade{items: 120, at: 1}
	warmer := NewWarmer(WarmOptions{Concurrency: 1, MaxBody: 1 << 20, Roots: []rewrite.Root{{Language: "en", Public: "http://facade.example"}}})
	warmer.client.Transport = f
	var got state
	f.cut = func() { got = warmer.progress.state() }
	if err := warmer.Run(t.Context(), []string{"en"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	const pages = 5 + 3 + 4 // plain; of events; of the others
	if !got.all || got.want != pages+120 {
		t.Errorf("%s, want %d", got, pages+120)
	}
}

// TestWarmSkipsCells: of a cell that was completed before the last items nothing is requested.
func TestWarmSkipsCells(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journal")
	j, err := OpenWarmJournal(file, WarmSubject{Roots: map[string]string{"en": "http://facade.example"}})
	if err != nil {
		t.Fatal(err)
	}
	c := cellsOf([]string{"en"})
	for range 3 {
		err = errors.Join(err, j.item(c[0], "1"))
	}
	err = errors.Join(err, j.end(c[0], 5))
	for i := range repeated {
		err = errors.Join(err, j.item(c[1], strconv.Itoa(i)))
	}
	if err = errors.Join(err, j.end(c[1], repeated), j.Close(false)); err != nil {
		t.Fatal(err)
	}
	f := &longFacade{items: 10}
	if ids, w, err := warmWith(t, f, file); err != nil || len(ids) != 0 || w.Resumed != 5 {
		t.Errorf("%d items, %+v, %v", len(ids), w, err)
	}
}

// TestWarmJournalIsRefused: a file that is no journal of the run is not continued, nor changed.
func TestWarmJournalIsRefused(t *testing.T) {
	of := WarmSubject{Roots: map[string]string{"en": "http://facade.example"}}
	const head = `{"journal":"calfacade warm 1","roots":{"en":"http://facade.example"}}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"another instance": {strings.Replace(head, "facade.example", "other.example", 1), "is the journal of another instance"},
		"no journal":       {"thesis\n", "is the journal of another instance"},
		"a text":           {"thesis", "is the journal of another instance"},
		"cut off at once":  {head[:20], ""},
		"damaged":          {head + "x\n", "is damaged"},
		"the same":         {head, ""},
		"empty":            {"", ""},
	} {
		file := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := OpenWarmJournal(file, of)
		if test.want == "" && err == nil {
			if err := j.Close(false); err != nil {
				t.Error(err)
			}
			test.text = head
		} else if err == nil || test.want == "" || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != test.text {
			t.Errorf("%s: the file is %q, %v", name, got, err)
		}
	}
}
