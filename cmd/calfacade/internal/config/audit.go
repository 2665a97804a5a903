package config

import (
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
)

// Audit reads a sample of the answers from the cache again at the site, and compares them with
// what the cache holds. See docs/operations.md.
type Audit struct {
	// Rate is how many answers are audited in a window, such as 1/s, on average. Each costs the
	// site one call, or two if the answer differs, with the priority of a refresh. At most 100/s.
	// Default empty, which disables auditing, as does cache.enabled: false.
	Rate Quota `yaml:"rate"`

	// Grace is how long the purge of a change may take. A response that is purged within this
	// time is no finding. 1s to 10m. Default 5s.
	Grace time.Duration `yaml:"grace"`

	// Late is how long after a finding a purge counts as late. Without one until then it is
	// missing. 1s to 1h. Default 1m.
	Late time.Duration `yaml:"late"`

	// Ignore are paths that are not compared, such as "events[].views", which the site changes
	// without a purge. Default none.
	Ignore []string `yaml:"ignore"`
}

// maxAuditRate is in answers per second.
const maxAuditRate = 100

func (f *faults) audit(a Audit) {
	f.check(a.Interval() == 0 || a.Interval() >= time.Second/maxAuditRate, "audit.rate", "must be at most %d/s, but is %d/%s", maxAuditRate, a.Rate.Requests, a.Rate.Window)
	f.check(a.Grace >= time.Second && a.Grace <= 10*time.Minute, "audit.grace", "must be 1s to 10m, but is %s", a.Grace)
	f.check(a.Late >= time.Second && a.Late <= time.Hour, "audit.late", "must be 1s to 1h, but is %s", a.Late)
	if _, err := a.Comparer(); err != nil {
		f.check(false, "audit", "%s", err)
	}
}

// Interval returns the mean time between two audits; 0 if they are disabled.
func (a Audit) Interval() time.Duration {
	if a.Rate.Requests == 0 {
		return 0
	}
	return a.Rate.Window / time.Duration(a.Rate.Requests)
}

// Comparer compares a response with a later one of the same site: without the rules for
// two sites, but with the same values hidden.
func (a Audit) Comparer() (*compare.Comparer, error) {
	return compare.Rules{Ignore: a.Ignore, Mask: compare.Default().Mask}.Compile()
}
