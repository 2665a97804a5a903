package survey

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Auditor compares a facade with its sites.
type Auditor struct {
	// Facade makes a call at the facade, or at a cache in front.
	Facade func(ctx context.Context, call *mapping.Call, language string) (compare.Document, http.Header, error)

	Site      func(resource, language string) Reader // reads the backend that serves the reads; nil: a canary decides which
	Languages []string
	Sample    int           // calls
	Wait      time.Duration // how long the purge of a change may take
	Comparer  *compare.Comparer
	Rate      float64 // calls to sites per second, with the calls that the facade makes for the audit; 0 disables the limit

	limit *rate.Limiter
}

// step is a call of the sample.
type step struct {
	call        *mapping.Call
	language    string
	site        Reader
	answer      answer
	differences []compare.Difference
}

// answer is the result of a call at the facade.
type answer struct {
	compare.Document
	header http.Header
	err    error
}

// Run audits a sample. An answer that differs from two reads of the site is stale if the same answer is still
// sent after Wait.
func (a *Auditor) Run(ctx context.Context) (AuditResult, error) {
	a.limit = newLimiter(a.Rate)
	r := AuditResult{Findings: []StaleAnswer{}}
	steps := a.steps(ctx, &r)
	var suspects []step
	for _, s := range steps[:min(len(steps), a.Sample)] {
		if err := a.examine(ctx, &s, &r); err != nil {
			r.fail(err)
		} else if len(s.differences) > 0 {
			suspects = append(suspects, s)
		}
	}
	if len(suspects) > 0 {
		upstream.Sleep(ctx, a.Wait)
	}
	for _, s := range suspects {
		a.confirm(ctx, s, &r)
	}
	r.Stale = len(r.Findings)
	return r, ctx.Err()
}

// examine compares an answer from a cache with the site, and skips other answers.
func (a *Auditor) examine(ctx context.Context, s *step, r *AuditResult) error {
	if s.answer.header == nil && s.answer.err == nil {
		s.answer = a.ask(ctx, *s)
	}
	if s.answer.err != nil {
		return s.answer.err
	}
	if !s.answer.cached() {
		r.NotCached++
		return nil
	}
	readSite := func() (compare.Document, error) { return a.readSite(ctx, *s) }
	site, err := readSite()
	if err != nil {
		return err
	}
	compared, err := a.Comparer.Compare(s.call.Endpoint.Name(), site, s.answer.Document, readSite)
	s.differences = compared.Differences
	if err == nil && len(s.differences) == 0 {
		r.Audited++
	}
	return err
}

// confirm makes a suspect a finding if the same answer is still sent.
func (a *Auditor) confirm(ctx context.Context, s step, r *AuditResult) {
	now := a.ask(ctx, s)
	switch {
	case now.err != nil:
		r.fail(now.err)
	case !now.cached() || now.Status != s.answer.Status || !bytes.Equal(now.Body, s.answer.Body):
		r.Changed++
	default:
		r.Audited++
		r.Findings = append(r.Findings, StaleAnswer{
			Language:    s.language,
			Call:        s.call.Line(),
			Age:         now.age(),
			CacheStatus: now.header.Get(cacheStatus),
			Differences: s.differences,
		})
	}
}

const cacheStatus = "Cache-Status"

// age returns seconds; 0 without Age.
func (a answer) age() int {
	seconds, _ := strconv.Atoi(a.header.Get("Age"))
	return max(0, seconds)
}

// cached reports whether the facade or a cache in front had the answer.
func (a answer) cached() bool {
	return a.age() > 0 || strings.Contains(strings.Join(a.header[cacheStatus], ","), "; hit")
}

// ask makes a call at the facade. An answer that is not cached cost the site a call.
func (a *Auditor) ask(ctx context.Context, s step) (reply answer) {
	reply.Document, reply.header, reply.err = a.Facade(ctx, s.call, s.language)
	if reply.err == nil && !reply.cached() {
		reply.err = a.limit.Wait(ctx)
	}
	return reply
}

// readSite makes a call at the site.
func (a *Auditor) readSite(ctx context.Context, s step) (compare.Document, error) {
	if err := a.limit.Wait(ctx); err != nil {
		return compare.Document{}, err
	}
	return s.site(ctx, s.call, s.language)
}

// steps returns calls that clients make, in random order: each list without parameters, and the items on the
// first page and on another page, by id and by slug.
func (a *Auditor) steps(ctx context.Context, r *AuditResult) (steps []step) {
	for _, language := range a.Languages {
		for _, widest := range mapping.WidestLists() {
			list := step{call: mapping.PlainList(widest), language: language}
			list.site = a.Site(list.call.Endpoint.Resource, language)
			if list.site == nil {
				r.Uncertain++
				continue
			}
			items, pages := a.items(ctx, &list, r)
			steps = append(append(steps, list), items...)
			if pages > 1 {
				later := list
				later.call = list.call.OnPage(2 + rand.IntN(pages-1))
				items, _ = a.items(ctx, &later, r)
				steps = append(steps, items...)
			}
		}
	}
	rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// items requests a page of a list, and returns the calls for the items on that page: the items of the site,
// and the items of the facade, which the site may have deleted.
func (a *Auditor) items(ctx context.Context, list *step, r *AuditResult) (steps []step, pages int) {
	list.answer = a.ask(ctx, *list)
	if list.answer.err != nil {
		return nil, 0 // examine counts the failure
	}
	site, err := a.readSite(ctx, *list)
	if err != nil {
		r.fail(err)
		return nil, 0
	}
	lines := map[string]bool{}
	for _, d := range []compare.Document{site, list.answer.Document} {
		page, err := mapping.ParseList(list.call, d.Body)
		if err != nil || d.Status != http.StatusOK {
			continue
		}
		pages = max(pages, page.Pages)
		for _, item := range page.Items {
			for _, call := range mapping.ItemReads(list.call.Endpoint.Resource, item.ID, item.Slug) {
				line := call.Line()
				if !lines[line] {
					lines[line] = true
					steps = append(steps, step{call: call, language: list.language, site: list.site})
				}
			}
		}
	}
	return steps, pages
}

// AuditResult has the counts and findings of an audit.
type AuditResult struct {
	Audited   int           `json:"audited"`    // answers from a cache that were compared
	Stale     int           `json:"stale"`      // of these
	NotCached int           `json:"not_cached"` // answers that were fetched for the audit, which proves nothing
	Changed   int           `json:"changed"`    // answers that changed while they were audited, as by a purge
	Uncertain int           `json:"uncertain"`  // lists, with their items, that a canary serves from one site or the other
	Failed    int           `json:"failed"`     // calls without an answer of the facade or the site
	Failure   string        `json:"failure"`    // of the first failed call; "" without failures
	Findings  []StaleAnswer `json:"findings"`   // the stale answers
}

// StaleAnswer is a stale answer.
type StaleAnswer struct {
	Language    string               `json:"language"`
	Call        string               `json:"call"`
	Age         int                  `json:"age"`          // seconds since the fetch
	CacheStatus string               `json:"cache_status"` // names the caches on the way, the nearest to the site first
	Differences []compare.Difference `json:"differences"`
}

func (r *AuditResult) fail(err error) {
	r.Failed++
	if r.Failure == "" {
		r.Failure = err.Error()
	}
}

// Counts returns the number of calls with each outcome, by the label of the metrics. Each call of the sample
// counts once.
func (r AuditResult) Counts() map[string]int {
	return map[string]int{
		"same": r.Audited - r.Stale, "stale": r.Stale, "not_cached": r.NotCached, "changed": r.Changed, "uncertain": r.Uncertain,
		"failed": r.Failed,
	}
}

// maxPrinted limits the differences of a finding that are printed.
const maxPrinted = 5

// Print prints a result for people.
func (r AuditResult) Print(w io.Writer) error {
	_, failed := fmt.Fprintf(w, "audited %d cached answers: %d stale\n", r.Audited, r.Stale)
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	say("not audited: %d answers were not cached, %d changed meanwhile, %d lists are served from either site, %d calls failed",
		r.NotCached, r.Changed, r.Uncertain, r.Failed)
	if r.Failed > 0 {
		say("the first failure: %s", r.Failure)
	}
	for _, f := range r.Findings {
		say("stale: %s %s, %d s old, Cache-Status: %s", f.Language, f.Call, f.Age, cmp.Or(f.CacheStatus, "none"))
		for _, d := range f.Differences[:min(len(f.Differences), maxPrinted)] {
			say("  %s: %s", cmp.Or(d.Path, "the response"), d.Kind)
		}
		hidden := len(f.Differences) - maxPrinted
		if hidden > 0 {
			say("  and %d more differences", hidden)
		}
	}
	return failed
}
