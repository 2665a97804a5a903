package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
)

// StagingPlan returns the plan of the staging matrix, without the candidate.
func (c Config) StagingPlan() staging.Plan {
	r := c.Staging.Rollback
	p := staging.Plan{
		Cells:    staging.Cells(mapping.Resources(), c.candidateCodes()),
		Rollback: staging.Rollback{Errors: r.Errors, Differences: r.Differences, Writes: r.Writes},
	}
	for _, r := range c.Staging.Rules {
		part := staging.Selection{Resources: r.Resources, Languages: r.Languages}
		for _, m := range r.Methods {
			part.Ops = append(part.Ops, staging.Op(m))
		}
		p.Rules = append(p.Rules, staging.Rule{Selection: part, Setting: r.setting()})
	}
	return p
}

// candidateCodes returns the languages of the candidate.
func (c Config) candidateCodes() []string {
	for _, b := range c.Backends {
		if b.Name == c.Staging.Candidate {
			return slices.DeleteFunc(c.Codes(), func(code string) bool { return b.Upstreams[code] == "" })
		}
	}
	return nil
}

func (f *faults) staging(c Config) {
	s := c.Staging
	if s.Candidate != "" {
		var backends []string
		for _, b := range c.Backends {
			backends = append(backends, b.Name)
		}
		f.oneOf("staging.candidate", s.Candidate, backends...)
	}
	for i, r := range s.Rules {
		f.rule(fmt.Sprintf("staging.rules[%d]", i), r, c.Codes())
	}
	f.check(len(s.Rules) == 0 || s.Candidate != "", "staging.rules", "require staging.candidate, which is empty")
	f.between("staging.shadow.share", s.Shadow.Share, 0, 100)
	if s.Compare.Known != "" {
		f.oneOf("staging.compare.known", s.Compare.Known, slices.Sorted(maps.Keys(knownDifferences))...)
	}
	_, err := s.Compare.Comparer()
	f.check(err == nil, "staging.compare", "%v", err)
	f.between("staging.rollback.errors", s.Rollback.Errors, 0, 100)
	f.between("staging.rollback.differences", s.Rollback.Differences, 0, 100)
	if len(*f) > 0 || s.Candidate == "" || s.Force || c.Mode == "read_only" {
		return
	}
	plan := c.StagingPlan()
	for _, split := range staging.Split(plan.Cells, staging.Settings(plan.Cells, plan.Rules)) {
		f.check(false, "staging.rules", "clients would write to one backend and read from the other (%s): accept it with staging.force", split)
	}
}

func (f *faults) rule(key string, r Rule, codes []string) {
	for part, words := range map[string]struct{ selected, known []string }{
		"methods":   {r.Methods, stringsOf(staging.Ops)},
		"resources": {r.Resources, mapping.Resources()},
		"languages": {r.Languages, codes},
	} {
		for _, word := range words.selected {
			f.oneOf(key+"."+part, word, words.known...)
		}
	}
	if err := r.setting().Check(); err != nil {
		f.check(false, key+".state", "%v", err)
	}
}

func stringsOf[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = string(t)
	}
	return all
}
