package statuspage

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

type changeStatus struct {
	Version       string // of the decisions; "-": of this instance
	When          moment
	Who, What, To string
	From          string
	Why           string
	Instance      string
}

func newChangeStatus(c staging.Change, now time.Time) changeStatus {
	s := changeStatus{"-", momentOf(c.When, now), c.Who, staging.Describe(c.Cells), c.To.String(), "", c.Why, c.Instance}
	if c.Version > 0 {
		s.Version = count64(float64(c.Version))
	}
	if c.Mode != "" {
		s.What, s.To = "mode", c.Mode
	}
	var from []string
	for _, f := range c.From {
		from = append(from, f.String())
	}
	s.From = strings.Join(from, ", ")
	return s
}

// decisionsText describes what all instances have decided beside the matrix; "" if each decides
// alone.
func decisionsText(d admin.Decisions) string {
	if !d.Shared {
		return ""
	}
	text := fmt.Sprintf(" Decisions of all instances: version %d.", d.Version)
	if !d.Known {
		text += " There may be a later one: Redis does not answer this instance, which refuses writes."
	}
	if c := d.ReadOnly; c != nil {
		text += fmt.Sprintf(" Writes are refused since %s by %s.", c.When.UTC().Format(time.DateTime), strings.TrimSuffix(c.Who+": "+c.Why, ": "))
	}
	return text
}
