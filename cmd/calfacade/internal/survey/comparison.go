package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Comparison compares a candidate with the legacy site: first their lists, then each item. The order of the
// findings depends on the responses only.
type Comparison struct {
	Legacy, Candidate Reader
	Rules             *compare.Comparer
	Languages         []string
	Sample            int // items of a collection, about; 0 is all
	Journal           *Journal

	CandidateID func(resource, id string) string // id on the candidate
	Facade      []rewrite.RootURLs               // of calfacade, for links; nil disables links

	walk
	names map[[3]string]string // of items, by language, resource and id
}

// maxListed is the maximum number of findings that a report lists.
const maxListed = 10_000

// Run compares everything, and shows progress on stderr.
func (d *Comparison) Run(ctx context.Context, stderr io.Writer) (DiffReport, error) {
	d.names = map[[3]string]string{}
	d.walk = walk{languages: d.Languages, readList: d.list, readItem: d.item,
		findings: &compare.Findings{Most: maxListed}, journal: d.Journal}
	err := d.run(ctx, "diff", stderr)
	if d.Journal != nil && errors.Is(err, ErrCutOff) {
		err = fmt.Errorf("%w: the same command continues from here", err)
	}
	r := newReport(d.findings.Snapshot())
	for i := range r.Findings {
		d.locate(&r.Findings[i])
	}
	return r, err
}

// locate sets the name, the other id and the URL of the item of a finding.
func (d *Comparison) locate(f *compare.Finding) {
	call := "/" + f.Resource
	if f.ID != "" {
		call += "/" + f.ID
		f.Name = d.names[[3]string{f.Language, f.Resource, f.ID}]
		id := d.CandidateID(f.Resource, f.ID)
		if id != f.ID {
			f.CandidateID = id
		}
	} else if len(f.Calls) > 0 {
		call = f.Calls[0]
	}
	if d.Facade != nil {
		f.URL = LinkOf(d.Facade, f.Language, call)
	}
}

// item compares the responses to the calls of an item, unless the interrupted comparison has.
func (d *Comparison) item(ctx context.Context, c collection, item mapping.Listed) compare.Step {
	s := c.step(item.ID)
	if earlier, ok := d.Journal.earlier(s); ok {
		return earlier
	}
	for _, call := range mapping.ItemReads(s.Resource, item.ID, item.Slug) {
		var first, candidate compare.Document
		var failed [2]error
		together(
			func() { first, failed[0] = d.Legacy(ctx, call, s.Language) },
			func() { candidate, failed[1] = d.Candidate(ctx, call, s.Language) },
		)
		fail(&s, call, ofLegacy, failed[0])
		fail(&s, call, ofCandidate, failed[1])
		if failed[0] == nil && failed[1] == nil {
			d.compare(ctx, &s, d.Rules, call, first, candidate, nil)
		}
	}
	return s
}

// The backends in failures.
const (
	ofLegacy    = "legacy"
	ofCandidate = "candidate"
)

// compare compares two responses. If they differ, again reads the legacy's once more; nil repeats the call.
func (d *Comparison) compare(ctx context.Context, s *compare.Step, rules *compare.Comparer, call *mapping.Call,
	first, candidate compare.Document, again func() (compare.Document, error)) {
	if again == nil {
		again = func() (compare.Document, error) { return d.Legacy(ctx, call, s.Language) }
	}
	result, err := rules.Compare(call.Endpoint.Name(), first, candidate, again)
	fail(s, call, ofLegacy, err)
	if err != nil {
		return
	}
	s.Compared++
	if len(result.Differences)+len(result.Noise)+len(result.Known) > 0 {
		s.Responses = append(s.Responses, compare.Response{
			Endpoint: call.Endpoint.Name(), Call: call.Line(), Legacy: answerOf(call, first), Candidate: answerOf(call, candidate),
			Result: result,
		})
	}
}

// maxPage is the maximum length of the URL of a page, in bytes.
const maxPage = 500

// answerOf returns the reported parts of a response, without secrets.
func answerOf(call *mapping.Call, d compare.Document) compare.Answer {
	a := compare.Answer{URL: compare.WithoutSecrets(d.URL)}
	page := jsonscan.Text(jsonscan.Get(d.Body, mapping.PageURLName))
	if call.Endpoint.Action == mapping.Read &&
		d.Status == http.StatusOK && len(page) <= maxPage {
		a.Page = compare.WithoutSecrets(page)
	}
	return a
}

// twoLists walks through the lists of both backends side by side.
type twoLists struct {
	*Comparison
	collection
	legacyList, candidateList *listing // of the legacy and the candidate
	broken                    bool     // one of the lists could not be read completely
}

// list compares the lists of a collection: page by page the entries that both pages show, and at the end
// the items of both lists. It returns the items to compare.
func (d *Comparison) list(ctx context.Context, c collection) (todo []mapping.Listed) {
	s := c.step("")
	l := d.begin(ctx, c, &s)
	for ; ; s = c.step("") {
		l.pages(ctx, &s)
		if d.take(ctx, s) != nil {
			return nil
		}
		if l.legacyList.next == nil && l.candidateList.next == nil {
			break
		}
		l.advance(ctx)
	}
	s = c.step("")
	if !l.broken {
		l.lists(ctx, &s)
	}
	s.Items = len(l.legacyList.items)
	_ = d.take(ctx, s) // run looks at ctx
	for _, item := range l.legacyList.items {
		if sampled(c, item.ID, d.Sample, len(l.legacyList.items)) {
			item.Place = nil
			todo = append(todo, item)
		}
	}
	return todo
}

// begin reads the first pages of both lists. If a site does not respond to the widest call with a list, both
// sites get a call without parameters, and the lists may lack items. If that call fails too, begin returns
// the responses to the widest call.
func (d *Comparison) begin(ctx context.Context, c collection, s *compare.Step) *twoLists {
	widest := d.try(ctx, c)
	if widest.complete() {
		return widest
	}
	plain := d.try(ctx, collection{language: c.language, list: mapping.PlainList(c.list)})
	if !plain.complete() {
		return widest
	}
	backend := ofLegacy
	refused := widest.legacyList.page
	if refused.problem == nil {
		backend = ofCandidate
		refused = widest.candidateList.page
	}
	fail(s, c.list, backend, fmt.Errorf("%w; compared without filters", refused.problem))
	return plain
}

// try reads the first pages of both lists by a call.
func (d *Comparison) try(ctx context.Context, c collection) *twoLists {
	l := &twoLists{Comparison: d, collection: c, legacyList: newListing(d.Legacy, c), candidateList: newListing(d.Candidate, c)}
	l.advance(ctx)
	return l
}

// advance reads the next page of both lists.
func (l *twoLists) advance(ctx context.Context) {
	together(func() { l.legacyList.advance(ctx) }, func() { l.candidateList.advance(ctx) })
}

// complete reports whether both pages are pages of a list, or beyond the end of the list.
func (l *twoLists) complete() bool {
	return l.legacyList.page.problem == nil && l.candidateList.page.problem == nil
}

// maxName is the maximum length of the name of an item, in bytes.
const maxName = 80

// pages compares a page of both lists. If the candidate's list ends early, the legacy's list is still read,
// for the items.
func (l *twoLists) pages(ctx context.Context, s *compare.Step) {
	first := &l.legacyList.page
	candidate := &l.candidateList.page
	fail(s, first.call, ofLegacy, first.problem) // equal errors of both sites prove nothing
	fail(s, candidate.call, ofCandidate, candidate.err)
	for _, item := range slices.Concat(candidate.Items, first.Items) {
		l.names[[3]string{l.language, l.resource(), item.ID}] = mapping.Shorten(item.Name, maxName)
	}
	l.broken = l.broken || !l.complete()
	rules := l.Rules
	if l.complete() {
		rules = rules.Entries()
	}
	if first.err == nil && candidate.err == nil && first.call != nil && candidate.call != nil {
		l.compare(ctx, s, rules, first.call, first.Document, candidate.Document, nil)
	}
	if first.problem != nil {
		l.candidateList.next = nil
	}
}

// maxUnlisted is the maximum number of items of a list that are read because only the candidate
// lists them.
const maxUnlisted = 1000

// lists compares the items of the lists, their order, and their announced totals.
func (l *twoLists) lists(ctx context.Context, s *compare.Step) {
	n := len(l.legacyList.items)
	if l.legacyList.total > n {
		fail(s, l.collection.list, ofLegacy, fmt.Errorf("the list announces %d items and shows %d", l.legacyList.total, n))
	}
	// A total that is off by the number of missing items is no additional difference.
	explained := l.legacyList.total-l.candidateList.total == len(l.legacyList.items)-len(l.candidateList.items)
	document := func(list *listing) compare.Document {
		total := list.total
		if explained {
			total = -1
		}
		places := make([][]byte, len(list.items))
		for i := range list.items {
			places[i] = list.items[i].Place
		}
		return compare.Document{Status: http.StatusOK, Body: mapping.ListDocument(l.collection.list, places, total), URL: list.url}
	}
	rules := l.Rules.Reading(maxUnlisted, func(item *mapping.Call) (compare.Document, error) {
		reply, err := l.Legacy(ctx, item, s.Language)
		fail(s, item, ofLegacy, err)
		return reply, err
	})
	l.compare(ctx, s, rules, l.collection.list, document(l.legacyList), document(l.candidateList), func() (compare.Document, error) {
		again := newListing(l.Legacy, l.collection)
		for again.next != nil && again.page.err == nil {
			again.advance(ctx)
		}
		return document(again), again.page.err
	})
}
