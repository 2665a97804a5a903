package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Staging is how calls move from the legacy to another backend.
type Staging struct {
	// Candidate is the backend that Rules mean. Default empty: the legacy answers
	// all.
	Candidate string `yaml:"candidate"`

	// Rules say who answers what; the last that fits a call counts, and the legacy
	// answers what none fits. Default none.
	Rules []Rule `yaml:"rules" env:"-"`

	// Force accepts Rules that have clients write to one backend and read from the
	// other. Default false.
	Force bool `yaml:"force"`

	Shadow   Shadow   `yaml:"shadow" envPrefix:"SHADOW_"`
	Compare  Compare  `yaml:"compare" envPrefix:"COMPARE_"`
	Rollback Rollback `yaml:"rollback" envPrefix:"ROLLBACK_"`
}

// Rule gives a part of all calls a state. Of Methods, Resources and
// Languages none means all.
type Rule struct {
	// Methods are read and write. A write is never made twice: beside shadow it
	// goes to the legacy, beside new_with_fallback to the candidate.
	Methods []string `yaml:"methods"`

	// Resources are events, venues, organizers, categories and tags.
	Resources []string `yaml:"resources"`

	// Languages are codes.
	Languages []string `yaml:"languages"`

	// State is legacy; shadow: the legacy answers, and the candidate is compared;
	// canary: the candidate answers some clients; new: it answers all;
	// new_with_fallback: likewise, but the legacy answers reads that it fails.
	State string `yaml:"state"`

	// Percent of the clients, 1 to 99, of canary alone. The same ones each time.
	Percent int `yaml:"percent"`
}

// Shadow is which answers are compared with the other backend's, once the
// client has them.
type Shadow struct {
	// Share is how many percent of the calls, the same ones each time, 0 to 100.
	// Default 100.
	Share int `yaml:"share"`

	// Shares are in place of Share for an endpoint ("events.list") or an endpoint
	// in a language ("es:events.list"). Default none.
	Shares map[string]int `yaml:"shares" env:"-"`

	// Rate is how many are begun in a second, 1 to 10000. Default 10.
	Rate int `yaml:"rate"`

	// Concurrency is how many are under way at once. Default 2; 0 is refused.
	Concurrency int `yaml:"concurrency"`

	// Waiting is how many more may wait; beyond it answers are not compared.
	// Default 64; 0 is refused.
	Waiting int `yaml:"waiting"`

	// Timeout bounds one comparison. Default 10s; 0 is refused.
	Timeout time.Duration `yaml:"timeout"`

	// Credentials compares also what was read with credentials or a password. They
	// go to the other backend too, and examples may show what only their owner may
	// see. Default false.
	Credentials bool `yaml:"credentials"`
}

// Compare is what is no difference, beside what the table knows. Paths are
// such as "events[].cost" or "events.list:**.modified".
type Compare struct {
	// Ignore are paths that are not compared. Default none.
	Ignore []string `yaml:"ignore"`

	// Sets are paths of lists whose order means nothing. Default none.
	Sets []string `yaml:"sets"`

	// Hosts are one site: URLs that differ in them alone are the same. Default
	// none.
	Hosts []string `yaml:"hosts"`

	// Mask are paths whose values are not shown. Default none.
	Mask []string `yaml:"mask"`

	// Loose has "12" be 12, 2026-01-02T10:00:00Z be 2026-01-02 10:00:00, and a URL
	// be the same with a slash at its end. Default false.
	Loose bool `yaml:"loose"`
}

// Rollback is when a resource in a language goes back to the legacy by
// itself.
type Rollback struct {
	// Errors is how many percent of the candidate's answers may fail, 0 to 100.
	// Default 5; 0 means that any number may.
	Errors int `yaml:"errors"`

	// Differences is how many percent of the compared answers may differ, 0 to 100.
	// Default 0, which means that any number may.
	Differences int `yaml:"differences"`

	// Calls is how many there must have been within Window. Default 20; 0 is
	// refused.
	Calls int `yaml:"calls"`

	// Window is how far back they count. Default 1m; 0 is refused.
	Window time.Duration `yaml:"window"`

	// Writes rolls back also where the candidate has taken writes, which the legacy
	// does not know. Default false.
	Writes bool `yaml:"writes"`
}

func defaultStaging() Staging {
	return Staging{
		Shadow:   Shadow{Share: 100, Shares: map[string]int{}, Rate: 10, Concurrency: 2, Waiting: 64, Timeout: 10 * time.Second},
		Rollback: Rollback{Errors: 5, Calls: 20, Window: time.Minute},
		Rules:    []Rule{},
		Compare:  Compare{Ignore: []string{}, Sets: []string{}, Hosts: []string{}, Mask: []string{}},
	}
}

func (f *faults) staging(c Config, backends []string) {
	s := c.Staging
	if s.Candidate != "" {
		f.oneOf("staging.candidate", s.Candidate, backends...)
	}
	for i, r := range s.Rules {
		f.rule(fmt.Sprintf("staging.rules[%d]", i), r, c.Codes())
	}
	f.check(len(s.Rules) == 0 || s.Candidate != "", "staging.rules", "mean staging.candidate, which is empty")
	f.shadow(s.Shadow, c.Codes())
	_, err := s.Compare.Comparer()
	f.check(err == nil, "staging.compare", "%v", err)
	f.between("staging.rollback.errors", s.Rollback.Errors, 0, 100)
	f.between("staging.rollback.differences", s.Rollback.Differences, 0, 100)
	positive(f, "staging.rollback.calls", s.Rollback.Calls)
	positive(f, "staging.rollback.window", s.Rollback.Window)
	if len(*f) > 0 || s.Candidate == "" || s.Force || c.Mode == "read_only" {
		return
	}
	plan := c.StagingPlan()
	for _, split := range staging.Split(plan.Cells, staging.Settings(plan.Cells, plan.Rules)) {
		f.check(false, "staging.rules", "clients would write to one backend and read from the other (%s): staging.force accepts that", split)
	}
}

func (f *faults) rule(key string, r Rule, codes []string) {
	for part, words := range map[string]struct{ given, known []string }{
		"methods":   {r.Methods, texts(staging.Ops)},
		"resources": {r.Resources, mapping.Resources()},
		"languages": {r.Languages, codes},
	} {
		for _, word := range words.given {
			f.oneOf(key+"."+part, word, words.known...)
		}
	}
	if err := r.setting().Check(); err != nil {
		f.check(false, key+".state", "%v", err)
	}
}

func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = string(t)
	}
	return all
}

func (f *faults) shadow(s Shadow, codes []string) {
	f.between("staging.shadow.share", s.Share, 0, 100)
	for _, name := range slices.Sorted(maps.Keys(s.Shares)) {
		key := "staging.shadow.shares." + name
		endpoint := name
		if code, rest, found := strings.Cut(name, ":"); found {
			f.oneOf(key, code, codes...)
			endpoint = rest
		}
		f.check(isRead(endpoint), key, "%q is not the name of an endpoint that reads, such as events.list", endpoint)
		f.between(key, s.Shares[name], 0, 100)
	}
	f.between("staging.shadow.rate", s.Rate, 1, 10_000)
	positive(f, "staging.shadow.concurrency", s.Concurrency)
	positive(f, "staging.shadow.waiting", s.Waiting)
	positive(f, "staging.shadow.timeout", s.Timeout)
}

func isRead(endpoint string) bool {
	return slices.ContainsFunc(mapping.Table, func(e mapping.Endpoint) bool {
		return e.Name() == endpoint && !e.Writes() && !e.Local()
	})
}
