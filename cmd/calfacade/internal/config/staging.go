package config

import (
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Staging moves calls from the legacy site to another backend.
type Staging struct {
	// Candidate is the name of the backend that [Staging.Rules] refer to. Default none: the
	// legacy site serves everything.
	Candidate string `yaml:"candidate"`

	// Rules select which backend serves which call. The last matching rule wins;
	// the legacy site serves calls that match none. Default none.
	Rules []Rule `yaml:"rules"`

	// TesterToken is a secret with which testers use the candidate before clients do, whatever the
	// state of the calls, in the field X-Calfacade-Tester or the cookie calfacade-tester. At least 16
	// characters. Responses then vary by Cookie: shared caches in front store a response for each
	// value of it. Default none: there are no testers.
	TesterToken Secret `yaml:"tester_token"`

	// TesterTokenFile is a file that holds [Staging.TesterToken]. Default none.
	TesterTokenFile string `yaml:"tester_token_file"`

	// Force accepts [Staging.Rules] by which clients write to one backend and read from the
	// other. Default false.
	Force bool `yaml:"force"`

	Shadow   Shadow   `yaml:"shadow"`
	Compare  Compare  `yaml:"compare"`
	Rollback Rollback `yaml:"rollback"`
}

// Rule sets the state of the calls that it matches.
type Rule struct {
	// Methods are read, write or both. A write is never sent twice: with shadow it
	// goes to the legacy site, with new_with_fallback to the candidate. Default none:
	// both match.
	Methods []string `yaml:"methods"`

	// Resources are events, venues, organizers, categories and tags. Default none:
	// all match.
	Resources []string `yaml:"resources"`

	// Languages are codes. Default none: all match.
	Languages []string `yaml:"languages"`

	// State is legacy: the legacy site serves; shadow: the legacy site serves, and
	// its responses are compared with the candidate's; canary: the candidate serves
	// [Rule.Percent] of the clients or requests; new: the candidate serves all;
	// new_with_fallback: the candidate serves, and the legacy site serves the reads that it
	// fails.
	State string `yaml:"state"`

	// Percent is the share of the candidate in state canary, 1 to 99. Default 0, which all
	// other states require.
	Percent int `yaml:"percent"`

	// By selects what [Rule.Percent] is a share of: clients, always the same ones; or
	// requests, in which case only reads without credentials go to the candidate. Default
	// clients.
	By staging.By `yaml:"by"`
}

// Shadow selects which responses are compared with those of the other backend,
// after the client was served.
type Shadow struct {
	// Share is the share of the calls that are compared, in percent; always the
	// same calls. Default 100.
	Share int `yaml:"share"`

	// Credentials also compares reads that carry credentials or a password. These
	// then go to the other backend too, and examples of differences may show
	// protected content. Default false.
	Credentials bool `yaml:"credentials"`
}

// Compare lists differences to ignore, in addition to the built-in ones. A path is such
// as "events[].cost" or "events.list:**.modified".
type Compare struct {
	// Ignore are paths that are not compared. Default none.
	Ignore []string `yaml:"ignore"`

	// Hosts are hosts of the same site: URLs that differ only in which of these they
	// name are equal. Default none.
	Hosts []string `yaml:"hosts"`

	// Known is the dialect whose known differences from the legacy site are not reported as
	// differences, but counted by kind: tec/v1. Default empty: no difference is known.
	Known string `yaml:"known"`

	// Mask are paths whose values no report shows. Default none.
	Mask []string `yaml:"mask"`
}

// Rollback returns a resource in a language to the legacy site automatically.
type Rollback struct {
	// Errors is the share of failed calls to the candidate, in percent, beyond
	// which it rolls back, 0 to 100. Default 5; 0 disables it.
	Errors int `yaml:"errors"`

	// Differences is the share of differing responses among those compared, in
	// percent, beyond which it rolls back, 0 to 100. Default 0, which disables it.
	Differences int `yaml:"differences"`

	// Writes also rolls back if the candidate has accepted writes, which the legacy
	// site does not have. Default false.
	Writes bool `yaml:"writes"`
}

func (r Rule) setting() staging.Setting {
	return staging.Setting{State: staging.State(r.State), Percent: r.Percent, By: r.By}
}

// Comparer returns the built-in rules together with those of the configuration.
func (c Compare) Comparer() (*compare.Comparer, error) {
	rules := compare.Default()
	rules.Ignore = append(rules.Ignore, c.Ignore...)
	rules.Hosts = append(rules.Hosts, c.Hosts...)
	rules.Mask = append(rules.Mask, c.Mask...)
	rules.Known = knownDifferences[c.Known]
	return rules.Compile()
}
