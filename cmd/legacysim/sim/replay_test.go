package sim

import (
	"cmp"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// sessions are the stretches of the second part of the recordings in which items
// were written, all of them in English. Each began at a freshly seeded site, so that
// ids of items repeat between them, and each exchange sees what the earlier ones
// did.
var sessions = []struct{ from, to string }{
	{"07:24:00", "07:24:10"},
	{"07:25:15", "07:25:48"},
	{"07:25:49", "07:26:10"},
}

// rank orders exchanges of one second where their names do not: the recordings show
// the order by what each has found.
var rank = map[string]int{
	"events/en/by-slug-lantern-walk":                    -1,
	"events/en/update-slug-and-title":                   1,
	"events/en/update-both-dates":                       2,
	"events/en/update-end-before-start-order":           3,
	"events/en/update-all_day-days":                     4,
	"events/en/update-only-end_date":                    5,
	"events/en/update-author":                           6,
	"events/en/update-inline-places":                    7,
	"events/en/single-password-after-update":            8,
	"events/en/delete-password-protected":               9,
	"events/en/get-password-protected-after-delete":     10,
	"categories/en/odd-delete-as-author":                1,
	"categories/en/update-slug":                         1,
	"categories/en/update-empty":                        2,
	"tags/en/update-slug":                               1,
	"tags/en/update-empty":                              2,
	"organizers/en/odd-delete-by-slug-as-contributor":   1,
	"organizers/en/odd-get-after-delete-as-admin":       2,
	"organizers/en/update-by-slug-post":                 1,
	"organizers/en/to-draft":                            2,
	"organizers/en/by-slug-draft":                       3,
	"organizers/en/by-slug-draft-as-admin":              3,
	"organizers/en/single-was-published-draft":          3,
	"organizers/en/single-was-published-draft-as-admin": 3,
	"venues/en/to-draft":                                2,
	"venues/en/by-slug-draft":                           3,
	"venues/en/by-slug-draft-as-admin":                  3,
	"venues/en/single-was-published-draft":              3,
	"venues/en/single-was-published-draft-as-admin":     3,
}

// session returns the exchanges of the second part that belong together, in their
// order: by second, first what was created, by id, then by rank and name.
func session(t *testing.T, all []exchange, from, to string) []exchange {
	t.Helper()
	var out []exchange
	for _, x := range all {
		if within(t, x, from, to) {
			out = append(out, x)
		}
	}
	created := func(x exchange) int {
		if x.Response.Status != 201 {
			return 1 << 30
		}
		return recordedID(x.Response.Body)
	}
	slices.SortStableFunc(out, func(a, b exchange) int {
		return cmp.Or(recordedAt(t, a).Compare(recordedAt(t, b)), created(a)-created(b), order(a)-order(b), cmp.Compare(a.file, b.file))
	})
	return out
}

func within(t *testing.T, x exchange, from, to string) bool {
	t.Helper()
	at := recordedAt(t, x).Format(time.TimeOnly)
	return x.part == 2 && strings.Contains(x.file, "/en/") && from <= at && at < to
}

// inSession reports whether an exchange is one of those that depend on others.
func inSession(t *testing.T, x exchange) bool {
	t.Helper()
	return slices.ContainsFunc(sessions, func(s struct{ from, to string }) bool { return within(t, x, s.from, s.to) })
}

// order is the place of an exchange within its second: a read of an updated item comes
// behind the update.
func order(x exchange) int {
	if strings.Contains(x.file, "/odd-read-") {
		return 1
	}
	return rank[x.file]
}

// recordedID is the id of an item, or 0.
func recordedID(body any) int {
	item, _ := body.(map[string]any)
	id, _ := item["id"].(float64)
	return int(id)
}

// TestReplay sends what was written to the real site to the stand-in, in the same
// order, and compares status, error and each field that follows from what was
// written.
func TestReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	all := loadExchanges(t, 2)
	for _, s := range sessions {
		t.Run(s.from, func(t *testing.T) {
			exchanges := session(t, all, s.from, s.to)
			now := recordedAt(t, exchanges[0])
			site := New(Options{Clock: func() time.Time { return now }, Site: recordedHost})
			tr := newTranslation(site)
			seeded := len(tr.posts)
			for _, x := range exchanges {
				now = recordedAt(t, x)
				t.Run(x.file, func(t *testing.T) { replay(t, site, tr, x) })
			}
			t.Logf("%d exchanges, %d items made", len(exchanges), len(tr.posts)-seeded)
		})
	}
}

func replay(t *testing.T, site *Site, tr *translation, x exchange) {
	t.Helper()
	rec := httptest.NewRecorder()
	site.ServeHTTP(rec, tr.request(t, x))
	var got any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err == nil {
		tr.learn(x, got)
	}
	if why := exceptions[x.file]; why != "" {
		t.Skip(why)
	}
	compare(t, tr, x, rec)
	compareItem(t, tr, x, got)
}
