package survey

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// call compares the responses to one call. It ignores a 404 for an item that the
// candidate's list lacks, which is a finding about the list.
func (d *Comparison) call(ctx context.Context, s *step, c cell, call *mapping.Call, missing bool) {
	var first, candidate compare.Document
	var failed [2]error
	together(
		func() { first, failed[0] = d.Legacy(ctx, call, c.language) },
		func() { candidate, failed[1] = d.Candidate(ctx, call, c.language) },
	)
	s.fail(call, ofLegacy, failed[0])
	s.fail(call, ofCandidate, failed[1])
	if failed[0] != nil || failed[1] != nil {
		return
	}
	if missing && first.Status == http.StatusOK && candidate.Status >= http.StatusBadRequest {
		s.Also = append(s.Also, differing(call, first, candidate, []compare.Difference{{Kind: compare.Missing, Cause: compare.MissingItem(c.resource(), c.idIn(*s))}}))
		return
	}
	d.compare(ctx, s, c, call, first, candidate, func(ctx context.Context) (compare.Document, error) {
		return d.Legacy(ctx, call, c.language)
	})
}

// compare compares two documents. If they differ, it reads the legacy's document again:
// differences between its two responses are noise.
func (d *Comparison) compare(ctx context.Context, s *step, c cell, call *mapping.Call, first, candidate compare.Document, control func(context.Context) (compare.Document, error)) {
	endpoint := call.Endpoint.Name()
	switch found := d.Rules.Documents(endpoint, first, candidate); {
	case len(found) == 0:
		s.Same = append(s.Same, endpoint)
		return
	case len(compare.Unknown(found)) == 0:
		s.Found = append(s.Found, finding{Endpoint: endpoint, Call: lineOf(call), Differences: found})
		return
	}
	again, err := control(ctx)
	if err != nil {
		s.fail(call, ofLegacy, err)
		return
	}
	real, noise := d.Rules.Real(endpoint, first, again, candidate)
	f := differing(call, first, candidate, real)
	f.Noise = len(noise)
	s.Found = append(s.Found, f)
}

// differing returns the comparison of two documents that differ.
func differing(call *mapping.Call, first, candidate compare.Document, differences []compare.Difference) finding {
	f := finding{Endpoint: call.Endpoint.Name(), Call: lineOf(call), Differences: differences}
	if len(compare.Unknown(differences)) > 0 {
		f.documents = [2]compare.Document{first, candidate}
		f.Legacy.URL, f.Candidate.URL = urlOf(first), urlOf(candidate)
		if call.Endpoint.Action == mapping.Read {
			f.Legacy.Page, f.Candidate.Page = pageOf(first), pageOf(candidate)
		}
	}
	return f
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// pageOf returns the URL of the page of an item; "" if it has none.
func pageOf(d compare.Document) string {
	if d.Status != http.StatusOK {
		return ""
	}
	page := compare.WithoutSecrets(jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName)))
	if len(page) > maxPage {
		return ""
	}
	return page
}

// urlOf returns the URL of the request that a document was made of; "" if it is not known.
func urlOf(d compare.Document) string {
	if len(d.Sources) == 0 {
		return ""
	}
	return compare.WithoutSecrets(d.Sources[0].URL)
}
