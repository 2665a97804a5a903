package config

import (
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
)

func (r Rule) setting() staging.Setting {
	return staging.Setting{State: staging.State(r.State), Percent: r.Percent}
}

// Comparer returns the built-in rules together with those of the configuration.
func (c Compare) Comparer() (*compare.Comparer, error) {
	rules := compare.Default()
	rules.Ignore = append(rules.Ignore, c.Ignore...)
	rules.Sets = append(rules.Sets, c.Sets...)
	rules.Hosts = append(rules.Hosts, c.Hosts...)
	rules.Mask = append(rules.Mask, c.Mask...)
	rules.Numbers, rules.Dates, rules.Slashes = c.Loose, c.Loose, c.Loose
	return rules.Compile()
}

// StagingPlan returns the plan of the staging matrix, without the candidate.
func (c Config) StagingPlan() staging.Plan {
	p := staging.Plan{
		Cells:    staging.Cells(mapping.Resources(), c.candidateCodes()),
		Rollback: staging.Rollback(c.Staging.Rollback),
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
