package sim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// The recordings of tec/v1, and of the part of wp/v2 that goes with it.

// writesTEC reports whether the exchange is one of those that write, or that see what was
// written: these are sent one after the other.
func writesTEC(x exchange) bool {
	return !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, x.Request.Method) || strings.Contains(x.Name, "get-after")
}

// TestTECRecordings sends each question by itself, and compares the answer with the answer of the
// real site as TestRecordings does.
func TestTECRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	compared := 0
	for _, x := range readExchanges(t, 2, "tec") {
		if writesTEC(x) || exceptions[x.file] != "" {
			continue
		}
		compared++
		t.Run(x.file, func(t *testing.T) {
			t.Parallel()
			at := recordedAt(t, x)
			site := New(Options{Clock: func() time.Time { return at }, Site: recordedHost})
			tr := newTranslation(site)
			rec := httptest.NewRecorder()
			site.ServeHTTP(rec, tr.request(t, x))
			compareTEC(t, tr, x, rec)
			compareWhole(t, site, x, rec)
		})
	}
	t.Logf("%d compared", compared)
}

// TestTECReplay sends what was written, in its order. In each language it began at a freshly
// seeded site.
func TestTECReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	all := readExchanges(t, 2, "tec")
	for _, lang := range []string{"en", "fr"} {
		t.Run(lang, func(t *testing.T) {
			exchanges := tecSession(t, all, lang)
			now := recordedAt(t, exchanges[0])
			site := New(Options{Clock: func() time.Time { return now }, Site: recordedHost})
			tr := newTranslation(site)
			for _, x := range exchanges {
				now = recordedAt(t, x)
				t.Run(x.Name, func(t *testing.T) { replayTEC(t, site, tr, x) })
			}
			t.Logf("%d exchanges", len(exchanges))
		})
	}
}

func replayTEC(t *testing.T, site *Site, tr *translation, x exchange) {
	t.Helper()
	rec := httptest.NewRecorder()
	site.ServeHTTP(rec, tr.request(t, x))
	var got any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err == nil {
		tr.learnTEC(x, got)
	}
	if why := exceptions[x.file]; why != "" {
		t.Skip(why)
	}
	compareTEC(t, tr, x, rec)
}

// tecSession are the exchanges that write, by second, and in one second by the list below.
func tecSession(t *testing.T, all []exchange, lang string) []exchange {
	t.Helper()
	out := slices.DeleteFunc(slices.Clone(all), func(x exchange) bool {
		return !writesTEC(x) || !strings.HasPrefix(x.file, "tec/"+lang+"/")
	})
	slices.SortStableFunc(out, func(a, b exchange) int {
		return cmp.Or(recordedAt(t, a).Compare(recordedAt(t, b)), tecRank(a)-tecRank(b), cmp.Compare(a.file, b.file))
	})
	return out
}

// tecRank is the place of an exchange within its second: creations come
// first, by id.
func tecRank(x exchange) int {
	if x.Response.Status == http.StatusCreated {
		return recordedID(x.Response.Body)
	}
	if at := slices.IndexFunc(tecOrder, func(name string) bool { return strings.HasSuffix(x.Name, name) }); at >= 0 {
		return 1<<30 + at
	}
	return 1<<30 + 100
}

// tecOrder are ends of names, in the order that the recordings show by what each has found.
var tecOrder = []string{
	"create-again", "update-anonymous",
	"tribe_events_cat-update", "tags-update",
	"update-put", "update-patch", "update-post", "update-ignored-fields",
	"delete-anonymous", "delete-no-force", "delete-force", "-delete", "delete-again", "get-after-delete", "get-after-delete-as-admin",
	"update-after-delete",
	"delete-again-after-force", "get-after-force-delete",
	// the life of one event
	"update-title", "update-status", "update-nothing", "update-start_date", "update-end_date", "update-both-dates",
	"update-end-before-start",
	"update-all_day-false", "update-featured-false", "update-timezone", "update-timezone-bad", "update-cost-empty", "update-cost-number",
	"update-content-empty", "update-title-empty", "update-tags-empty", "update-venues-empty", "update-organizers",
	"update-organizers-empty", "update-venues-unknown",
	"update-featured_media", "update-featured_media-null", "update-featured_media-0", "update-slug", "update-status-draft",
	"update-status-future",
	"update-status-trash", "update-status-bogus", "update-date_gmt", "update-author", "update-author-bad",
}
