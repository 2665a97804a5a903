package mapping

import "github.com/calfacade/calfacade/mapping/dates"

// date reads a date in any form that the legacy reads.
func (p *Param) date(s string) (value, *Fault) {
	d, ok := dates.Parse(s)
	switch {
	case !ok:
		return value{}, p.fault(codeDate, "date")
	case d.Text == "":
		return value{}, p.fault(codeDate, "unreal_date")
	case d.Text == "0" && p.In == InQuery:
		return textValue("now"), nil // what a filter of the legacy means by it
	}
	return textValue(d.Text), nil
}

// isEpoch reports whether a is exactly the first second of 1970, which the
// legacy cannot express.
func (c *Call) isEpoch(a Arg) bool {
	if a.Param.ExactBy == "" || c.Value(a.Param.ExactBy) != "true" || c.lifts(a.Param) {
		return false
	}
	_, isEpoch := dates.AfterEpoch(a.Text)
	return isEpoch
}
