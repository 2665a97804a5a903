package config

import "github.com/calfacade/calfacade/proxy/staging"

// Staging moves calls from the legacy site to another backend.
type Staging struct {
	// Candidate is the name of the backend that [Staging.Rules] refer to. Default empty: the
	// legacy site serves everything.
	Candidate string `yaml:"candidate"`

	// Rules select which backend serves which call. The last matching rule wins;
	// the legacy site serves calls that match none. Default empty.
	Rules []staging.Rule `yaml:"rules"`

	// TesterToken is a secret with which testers use the candidate before clients do, whatever the
	// state of the calls, in the field X-Calfacade-Tester or the cookie calfacade-tester. At least 16
	// characters. Responses then vary by Cookie: shared caches in front store a response for each
	// value of it. Default empty: there are no testers.
	TesterToken Secret `yaml:"tester_token" check:"?token"`

	// Force accepts [Staging.Rules] by which clients write to one backend and read from the
	// other. Default false.
	Force bool `yaml:"force"`

	Compare  Compare          `yaml:"compare"`
	Rollback staging.Rollback `yaml:"rollback"`
}

// Compare lists differences to ignore, in addition to the built-in ones.
type Compare struct {
	// Ignore are members that are not compared, such as "events.cost", or "modified" of
	// all items: wherever items are shown. URLs that differ only in which host of the two sites
	// they name are equal, and known differences of tec/v1 are counted apart, without a setting.
	// Default empty.
	Ignore []string `yaml:"ignore"`
}
