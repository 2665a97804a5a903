package survey

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// refusing returns a response to list calls with one of the texts in path and query.
func refusing(status int, err error, texts ...string) func(*mapping.Call) (compare.Document, error) {
	return func(c *mapping.Call) (compare.Document, error) {
		line := c.Line()
		refused := strings.HasPrefix(line, "/events?") &&
			slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
		switch {
		case !refused:
			return compare.Document{}, nil
		case err != nil:
			return compare.Document{}, err
		}
		return compare.Document{Status: status, Body: []byte(`{"code":"rest_invalid_param","message":"","data":{"status":400}}`)}, nil
	}
}

// TestSitesAreSentWhatBothAccept: if one site refuses the widest call for a list, both are sent a
// narrower one. It is a failure if that may show less.
func TestSitesAreSentWhatBothAccept(t *testing.T) {
	for _, test := range []struct {
		name              string
		legacy, candidate func(*mapping.Call) (compare.Document, error)
		why               string // of the failure
		subject           string
		verdict           Verdict
	}{
		{name: "nothing refused", verdict: Same},
		{name: "pages of 50", candidate: refusing(400, nil, "per_page=50"), subject: "candidate",
			why: "status 400, and no list; compared without filters", verdict: Unproven},
		{name: "pages of 50, with a failure", legacy: refusing(0, errBroken, "per_page=50"), subject: "legacy",
			why: "the site is broken; compared without filters", verdict: Unproven},
		{name: "a filter", legacy: refusing(http.StatusUnprocessableEntity, nil, "ends_before"), subject: "legacy",
			why: "status 422, and no list; compared without filters", verdict: Unproven},
		{name: "everything", candidate: refusing(400, nil, "page="), verdict: Differs},
		{name: "another status", candidate: refusing(http.StatusForbidden, nil, "per_page=50"), subject: "candidate",
			why: "status 403, and no list; compared without filters", verdict: Unproven},
	} {
		t.Run(test.name, func(t *testing.T) {
			legacy := &shelf{ids: numbers(120), override: test.legacy}
			candidate := &shelf{ids: numbers(120), override: test.candidate}
			d := shelves(t, legacy, candidate)
			r := d.report(t)
			var want []compare.Failure
			if test.why != "" {
				want = []compare.Failure{{Language: "en", Resource: "events", Call: collectionsOf([]string{"en"})[0].list.Line(), Of: test.subject,
					Why: test.why}}
			}
			if diff := cmp.Diff(want, r.Failures); diff != "" || r.Verdict != test.verdict {
				t.Errorf("%s, want %s; failures (-want +got):\n%s", r.Verdict, test.verdict, diff)
			}
			if sum := r.Sum(); test.verdict != Differs && (sum.Items != 120 || sum.Affected != 0) {
				t.Errorf("got %+v", sum)
			}
		})
	}
}
