package statuspage

import (
	"fmt"
	"time"

	"github.com/calfacade/calfacade/proxy/staging"
)

type resourceStaging struct {
	Name  string
	Cells []cellStatus
}

type cellStatus struct {
	staging.Cell
	State         string
	Share         int // percent
	Class         string
	Of            string // what Share is a share of
	Measured      string // share of the candidate; "" if there were no requests
	Failed        portion
	Differs       portion
	Since         moment
	By, Why, Note string
	Configured    string // state of the configuration, where that is another
}

// portion is a part of what was counted.
type portion struct{ Value, Of string }

func portionOf(part, all uint64) portion {
	if all == 0 {
		return portion{Value: "-"}
	}
	return portion{inPercent(100 * float64(part) / float64(all)), count64(float64(part)) + " of " + count64(float64(all))}
}

func newCellStatus(c *staging.Status, candidate string, now time.Time) cellStatus {
	s := cellStatus{
		Cell: c.Cell, State: c.Setting.String(), Share: c.Share(), Class: "idle", By: c.Who, Why: c.Why,
		Of: c.By.String(), Measured: measured(c),
		Failed: portionOf(c.Failures, c.Calls), Differs: portionOf(c.Different, c.Compared), Since: momentOf(c.Since, now),
	}
	switch {
	case c.Who == staging.ByRollback:
		s.Class = "warn"
	case s.Share > 0:
		s.Class = "good"
	}
	if c.File != nil {
		s.Configured = c.File.String()
	}
	if c.Written > 0 {
		s.Note = "writes at " + candidate + " alone: " + count64(float64(c.Written))
	}
	return s
}

// measured describes the share of the candidate since the last change.
func measured(c *staging.Status) string {
	if c.Requests.All() == 0 {
		return ""
	}
	p := portionOf(c.Requests.Candidate, c.Requests.All())
	return fmt.Sprintf("%s, %s requests", p.Value, p.Of)
}
