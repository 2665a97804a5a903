package audit

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Check compares an instance with its site.
type Check struct {
	Instance  func(ctx context.Context, call *mapping.Call, language string) (Answer, error)
	Site      func(resource, language string) survey.Reader // that of the backend which serves the reads; nil: it is not certain which
	Languages []string
	Sample    int           // calls
	Wait      time.Duration // how long the purge of a change may take
	Comparer  *compare.Comparer
	Random    *rand.Rand
	Limit     *rate.Limiter // of the calls to sites, those that the instance makes for the check included; nil: none
}

// Answer is an answer of the instance.
type Answer struct {
	compare.Document
	Cached bool          // by the instance, or by a cache in front
	Age    time.Duration // of a cached answer
}

// Result is what a check found.
type Result struct {
	Estimate
	NotCached int       `json:"not_cached"` // answers that were fetched for the check, which proves nothing
	Changed   int       `json:"changed"`    // answers that changed while they were audited, as by a purge
	Uncertain int       `json:"uncertain"`  // lists, with their items, that a canary serves from one site or the other
	Failed    int       `json:"failed"`     // calls without an answer of the instance or the site
	Failure   string    `json:"failure"`    // why the first of them has none; "" if none failed
	Findings  []Finding `json:"findings"`   // the stale answers
}

func (r *Result) fail(err error) {
	if r.Failed == 0 {
		r.Failure = err.Error()
	}
	r.Failed++
}

// Finding is a stale answer.
type Finding struct {
	Language    string               `json:"language"`
	Call        string               `json:"call"`
	Age         int                  `json:"age"` // seconds since it was fetched
	Differences []compare.Difference `json:"differences"`
}
