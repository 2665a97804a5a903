package survey

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// refusing returns a response to list calls with one of the texts in path and query.
func refusing(status int, err error, texts ...string) func(*mapping.Call) (compare.Document, error) {
	return func(c *mapping.Call) (compare.Document, error) {
		line := LineOf(c)
		refused := strings.HasPrefix(line, "/events?") && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
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
// narrower one, and the report has it.
func TestSitesAreSentWhatBothAccept(t *testing.T) {
	for _, test := range []struct {
		name              string
		legacy, candidate func(*mapping.Call) (compare.Document, error)
		sent, of, why     string
		without           []string
		failed            int
		verdict           report.Verdict
	}{
		{name: "nothing refused", verdict: report.Same},
		{name: "pages of 50", candidate: refusing(400, nil, "per_page=50"), sent: "/events?ends_before=2999-12-31&page=1&per_page=10&strict_dates=false", of: "candidate", why: "status 400 rest_invalid_param", verdict: report.Same},
		{name: "pages of 50, with a failure", legacy: refusing(0, errBroken, "per_page=50"), sent: "/events?ends_before=2999-12-31&page=1&per_page=10&strict_dates=false", of: "legacy", why: "the site is broken", verdict: report.Same},
		{name: "a filter", legacy: refusing(http.StatusUnprocessableEntity, nil, "ends_before"), sent: "/events?", of: "legacy", why: "status 422 rest_invalid_param", without: []string{"ends_before"}, verdict: report.Same},
		{name: "everything", candidate: refusing(400, nil, "page="), verdict: report.Differs, failed: 0},
		{name: "another status", candidate: refusing(http.StatusForbidden, nil, "per_page=50"), verdict: report.Differs},
	} {
		t.Run(test.name, func(t *testing.T) {
			legacy, candidate := &shelf{ids: numbers(120), before: test.legacy}, &shelf{ids: numbers(120), before: test.candidate}
			d := shelves(t, legacy, candidate)
			d.Smaller = func(err error) bool { return err == errBroken }
			r := d.report(t)
			if r.Verdict != test.verdict || r.Sum().Failed != test.failed {
				t.Errorf("%s, %d failed, want %s and %d", r.Verdict, r.Sum().Failed, test.verdict, test.failed)
			}
			if test.sent == "" {
				if len(r.Narrowed) > 0 {
					t.Errorf("narrowed: %v", r.Narrowed)
				}
				return
			}
			if len(r.Narrowed) != 1 {
				t.Fatalf("narrowed: %v", r.Narrowed)
			}
			n := r.Narrowed[0]
			if !strings.HasPrefix(n.Sent, test.sent) || n.Of != test.of || n.Why != test.why || !cmp.Equal(n.Without, test.without) || !strings.Contains(n.Refused, "per_page=50") {
				t.Errorf("got %+v", n)
			}
			if all := r.Sum(); all.Items != 120 || all.Missing != 0 {
				t.Errorf("got %+v", all)
			}
		})
	}
}
