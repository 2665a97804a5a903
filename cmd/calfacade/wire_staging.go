package main

import (
	"slices"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/staging"
)

func (r RuleConfig) setting() staging.Setting {
	return staging.Setting{State: staging.State(r.State), Percent: r.Percent}
}

// comparer knows what the table knows, and what the operator adds.
func (c CompareConfig) comparer() (*compare.Comparer, error) {
	rules := compare.Default()
	rules.Ignore = append(rules.Ignore, c.Ignore...)
	rules.Sets = append(rules.Sets, c.Sets...)
	rules.Hosts = append(rules.Hosts, c.Hosts...)
	rules.Mask = append(rules.Mask, c.Mask...)
	rules.Numbers, rules.Dates, rules.Slashes = c.Loose, c.Loose, c.Loose
	return rules.Compile()
}

// stagingPlan is what a configuration wants of the matrix.
func (c Config) stagingPlan() staging.Plan {
	p := staging.Plan{
		Candidate: c.candidate(),
		Cells:     staging.Cells(mapping.Resources(), c.candidateCodes()),
		Rollback:  staging.Rollback(c.Staging.Rollback),
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

// candidate is the zero value where there is none.
func (c Config) candidate() staging.Candidate {
	for _, b := range backendOptions(c.Backends) {
		if b.Name == c.Staging.Candidate {
			return b.Candidate()
		}
	}
	return staging.Candidate{}
}

// candidateCodes are the languages that the candidate has.
func (c Config) candidateCodes() []string {
	for _, b := range c.Backends {
		if b.Name == c.Staging.Candidate {
			return slices.DeleteFunc(c.codes(), func(code string) bool { return b.Upstreams[code] == "" })
		}
	}
	return nil
}

// stagingOptions turns a valid configuration into those of a facade. What outlives
// it is the process's.
func stagingOptions(c StagingConfig, matrix *staging.Matrix, findings *compare.Findings) proxy.StagingOptions {
	comparer, err := c.Compare.comparer()
	if err != nil {
		panic("BUG: the rules were validated: " + err.Error())
	}
	return proxy.StagingOptions{
		Candidate: c.Candidate,
		Matrix:    matrix,
		Shadow: proxy.ShadowOptions{
			Limits:      staging.Limits{Rate: c.Shadow.Rate, Concurrency: c.Shadow.Concurrency, Waiting: c.Shadow.Waiting, Timeout: c.Shadow.Timeout},
			Share:       c.Shadow.Share,
			Shares:      c.Shadow.Shares,
			Credentials: c.Shadow.Credentials,
			Comparer:    comparer,
			Findings:    findings,
		},
	}
}

// tellStaging logs who changed what answers, and why.
func tellStaging(log *zap.Logger, c staging.Change) {
	var cells []string
	for _, cell := range c.Cells {
		cells = append(cells, cell.String())
	}
	log.Warn("staging", zap.Strings("cells", cells), zap.Stringer("to", c.To), zap.String("who", c.Who), zap.String("why", c.Why))
}
