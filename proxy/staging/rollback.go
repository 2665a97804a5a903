package staging

import (
	"cmp"
	"fmt"
	"time"
)

// Rollback configures automatic rollbacks to the legacy. The zero value disables them.
type Rollback struct {
	Errors      int           // percentage of failed responses of the candidate; 0 disables this
	Differences int           // percentage of compared responses that differed; 0 disables this
	Calls       int           // within Window, before a percentage applies; 0 is 20
	Window      time.Duration // 0 is a minute
	Writes      bool          // also if the candidate has accepted writes, which the legacy does not have
}

func (r Rollback) withDefaults() Rollback {
	r.Calls, r.Window = cmp.Or(r.Calls, 20), cmp.Or(r.Window, time.Minute)
	return r
}

// reason returns the reason for a rollback; "" if there is none.
func (r Rollback) reason(n Counts) string {
	over := func(part, all uint64, percent int) bool {
		return percent > 0 && all >= uint64(r.Calls) && part*100 > all*uint64(percent)
	}
	switch {
	case over(n.Failures, n.Calls, r.Errors):
		return fmt.Sprintf("%d of %d responses failed within %s", n.Failures, n.Calls, r.Window)
	case over(n.Different, n.Compared, r.Differences):
		return fmt.Sprintf("%d of %d responses differed within %s", n.Different, n.Compared, r.Window)
	}
	return ""
}

// RollbackDue is a rollback to the legacy that the counts of all instances call for.
type RollbackDue struct {
	Cells       []Cell
	Why         string
	AfterWrites bool // also if there are writes that the candidate alone has
	Refused     bool // because of such writes
}
