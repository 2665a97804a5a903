package statuspage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// health is a word for a state, and how bad it is: good, idle, warn or bad.
type health struct{ Class, Word, Detail string }

// ranks are the classes of problems, the worst first.
var ranks = []string{"bad", "warn"}

// failedShare is the share of responses with 5xx, in percent, that the page shows as bad. It
// is the threshold of the alert CalfacadeErrors.
const failedShare = 5

// maxReason limits the text of a rejected configuration on the page, in bytes.
const maxReason = 2000

// errorHealth derives health from the requests of the last minute.
func errorHealth(lately tally) health {
	if lately.failed == 0 {
		return health{}
	}
	class := "warn"
	if 100*lately.failed >= failedShare*lately.total {
		class = "bad"
	}
	return health{class, "Server errors", fmt.Sprintf("%s of %s responses of the last minute", count64(lately.failed), count64(lately.total))}
}

func rejectedHealth(r rejected, now time.Time) health {
	if r.at.IsZero() {
		return health{}
	}
	at, reason := momentOf(r.at, now), shortened(r.reason, maxReason)
	return health{"warn", "Configuration rejected", at.Clock + " (" + at.Ago + "), the previous one is in use: " + reason}
}

// certificateHealth reports that the program's own certificate should have been renewed.
func certificateHealth(end float64, now time.Time) health {
	if at := time.Unix(int64(end), 0); end > 0 && at.Sub(now) < telemetry.CertificateRenewal {
		return health{"warn", "The certificate ends soon", "on " + at.UTC().Format(time.DateTime) + " UTC: renew it"}
	}
	return health{}
}

// decisionsHealth reports that this instance must not send writes.
func decisionsHealth(d admin.Decisions, s staging.Snapshot) health {
	if s.Candidate == "" || d.Known {
		return health{}
	}
	return health{"bad", "Writes are refused", "Redis does not answer: this instance does not know what all have decided"}
}

// stagingHealth lists the resources that were rolled back and not changed since, and counts the
// responses of the candidate that failed or differ, each since the last change of its state.
func stagingHealth(s staging.Snapshot) []health {
	if s.Candidate == "" {
		return nil
	}
	var back, failing, differing []string
	var n staging.Counts
	for _, c := range s.Cells {
		name := c.Resource + " in " + c.Language
		if c.Who == staging.ByRollback {
			back = with(back, name)
			continue
		}
		if c.Failures > 0 {
			failing, n.Failures, n.Calls = with(failing, name), n.Failures+c.Failures, n.Calls+c.Calls
		}
		if c.Different > 0 {
			differing, n.Different, n.Compared = with(differing, name), n.Different+c.Different, n.Compared+c.Compared
		}
	}
	var all []health
	if back != nil {
		all = append(all, health{"warn", "Rolled back: " + strings.Join(back, ", "), ""})
	}
	if failing != nil {
		all = append(all, health{"warn", "Staging: responses of " + s.Candidate + " fail", portionOf(n.Failures, n.Calls).Of + ", of " + strings.Join(failing, ", ")})
	}
	if differing != nil {
		all = append(all, health{"warn", "Staging: responses of " + s.Candidate + " differ", portionOf(n.Different, n.Compared).Of + ", of " + strings.Join(differing, ", ")})
	}
	return all
}

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
