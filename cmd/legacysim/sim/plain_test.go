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

// TestPlainRecordings sends what was asked of a site with plain permalinks to the stand-in
// that is set up so, in the same order, and compares what it answers.
func TestPlainRecordings(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		all := plainExchanges(t, language)
		now := recordedAt(t, all[0])
		site := New(Options{Clock: func() time.Time { return now }, Site: recordedHost, Setup: Setup{Plain: true}})
		tr := newTranslation(site)
		tr.terms[6000] = site.blogs["fr"].findTerm(categoryTaxonomy, slugify(seedOf("fr").Categories[0].Name)).id
		tr.terms[6007] = site.blogs["fr"].findTerm(tagTaxonomy, slugify(seedOf("fr").Tags[0])).id
		for _, x := range all {
			now = recordedAt(t, x)
			t.Run(x.file, func(t *testing.T) {
				rec := httptest.NewRecorder()
				site.ServeHTTP(rec, tr.request(t, x))
				var got any
				if err := json.Unmarshal(rec.Body.Bytes(), &got); err == nil {
					tr.learn(x, got)
				}
				compare(t, tr, x, rec)
			})
		}
	}
}

// plainExchanges are the exchanges of a language in their order, which the second in which each
// was made and what it created tell. They have the names of the usual site's.
func plainExchanges(t *testing.T, language string) []exchange {
	t.Helper()
	var all []exchange
	for _, x := range readExchanges(t, 2, "plain") {
		name, ours := strings.CutPrefix(x.file, "plain/"+language+"/")
		if !ours {
			continue
		}
		if why := exceptions[x.file]; why != "" {
			t.Logf("skipped %s: %s", x.file, why)
			continue
		}
		resource, _, _ := strings.Cut(name, "-")
		x.file = resource + "/" + language + "/" + name
		all = append(all, x)
	}
	methods := []string{"POST", "GET", "HEAD", "PUT", "DELETE"} // what was created is read, updated and deleted
	later := func(x exchange) int { return slices.Index(methods, x.Request.Method) }
	slices.SortStableFunc(all, func(a, b exchange) int {
		return cmp.Or(recordedAt(t, a).Compare(recordedAt(t, b)), later(a)-later(b))
	})
	return all
}
