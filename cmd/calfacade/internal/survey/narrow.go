package survey

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// bothPages reads the next page of two lists.
func bothPages(ctx context.Context, legacy, candidate *listing) (first, other listPage) {
	together(
		func() { first = legacy.page(ctx) },
		func() { other = candidate.page(ctx) },
	)
	return first, other
}

// narrow sends smaller calls to both sites, if one of them refuses the call for the first page. If
// they accept none, it returns the responses to the first call.
func (l *twoLists) narrow(ctx context.Context, s *step, first, candidate listPage) (listPage, listPage) {
	of, why := ofLegacy, l.refusal(first)
	if why == "" {
		of, why = ofCandidate, l.refusal(candidate)
	}
	if why == "" {
		return first, candidate
	}
	for _, call := range crawl.Narrower(l.cell.list) {
		legacy, other := newListing(l.Legacy, cell{l.language, call}), newListing(l.Candidate, cell{l.language, call})
		if a, b := bothPages(ctx, legacy, other); a.good && b.good {
			s.Sent = l.narrowed(of, why, call)
			l.cell.list, l.legacy, l.candidate = call, legacy, other
			return a, b
		}
	}
	return first, candidate
}

// narrowed reports that a call was replaced.
func (l *twoLists) narrowed(of, why string, call *mapping.Call) *report.Narrowed {
	n := &report.Narrowed{Language: l.language, Resource: l.resource(), Of: of, Refused: lineOf(l.cell.list), Why: short(why), Sent: lineOf(call)}
	sent := map[string]bool{}
	for _, a := range call.Query {
		sent[a.Param.Name] = true
	}
	for _, a := range l.cell.list.Query {
		if !sent[a.Param.Name] && a.Param.Cap == 0 && a.Param.WidestValue() != "" {
			n.Without = append(n.Without, a.Param.Name)
		}
	}
	return n
}

// refusals are the statuses with which a site refuses parameters.
var refusals = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnprocessableEntity}

// refusal returns why a site may respond to a call for less than this; "" if it may not.
func (l *twoLists) refusal(p listPage) string {
	switch {
	case p.err != nil && l.Smaller != nil && l.Smaller(p.err):
		return p.err.Error()
	case p.err == nil && !p.good && slices.Contains(refusals, p.Status):
		if code := mapping.CodeOf(p.Body); code != "" {
			return fmt.Sprintf("status %d %s", p.Status, code)
		}
		return fmt.Sprintf("status %d", p.Status)
	}
	return ""
}
