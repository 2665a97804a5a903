package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Backend returns the backend of a name; the zero value for an unknown name.
func (c Config) Backend(name string) (backend Backend) {
	for _, b := range c.Backends {
		if b.Name == name {
			backend = b
		}
	}
	return backend
}

// Comparer returns the rules for comparing responses of a backend with responses of the legacy
// site: the built-in rules, the members that the configuration ignores, the known differences of the
// backend's dialect, and the hosts of both sites, which are one site.
func (c Config) Comparer(candidate string) (*compare.Comparer, error) {
	rules := compare.Default()
	rules.Ignore = append(rules.Ignore, c.Staging.Compare.Ignore...)
	urls := []string{"//" + c.Upstream.Host, c.Upstream.WordPressURL}
	for _, l := range c.Languages {
		urls = append(append(urls, l.Upstream), l.Aliases...)
	}
	b := c.Backend(candidate)
	urls = append(slices.AppendSeq(urls, maps.Values(b.Upstreams)), b.SiteAliases...)
	if DialectOf(b.Dialect) == tec.Dialect {
		rules.Known = tec.Differences()
	}
	for _, raw := range urls {
		if u, err := url.Parse(raw); err == nil && hostPattern.MatchString(u.Host) && !slices.Contains(rules.Hosts, u.Host) {
			rules.Hosts = append(rules.Hosts, u.Host)
		}
	}
	return rules.Compile()
}

// StagingPlan returns the plan of the staging matrix, without the candidate.
func (c Config) StagingPlan() staging.Plan {
	return staging.Plan{
		Cells: staging.Cells(mapping.Resources(), c.candidateCodes()),
		Rules: c.Staging.Rules, Rollback: c.Staging.Rollback,
	}
}

// candidateCodes returns the languages of the candidate.
func (c Config) candidateCodes() []string {
	b := c.Backend(c.Staging.Candidate)
	return slices.DeleteFunc(c.Languages.Codes(), func(code string) bool { return b.Upstreams[code] == "" })
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
		f.rule(fmt.Sprintf("staging.rules[%d]", i), r, c.Languages.Codes())
	}
	f.check(len(s.Rules) == 0 || s.Candidate != "", "staging.rules", "require staging.candidate, which is empty")
	_, err := c.Comparer(s.Candidate)
	f.check(err == nil, "staging.compare", "%v", err)
	if len(*f) > 0 || s.Candidate == "" || s.Force || c.Writes == "none" {
		return
	}
	plan := c.StagingPlan()
	for _, split := range staging.Split(plan.Cells, staging.Settings(plan.Cells, plan.Rules)) {
		f.check(false, "staging.rules", "clients would write to one backend and read from the other (%s): accept it with staging.force",
			split)
	}
}

func (f *faults) rule(key string, r staging.Rule, codes []string) {
	for _, code := range r.Languages {
		f.oneOf(key+".languages", code, codes...)
	}
	err := r.Check()
	f.check(err == nil, key+".state", "%v", err)
}
