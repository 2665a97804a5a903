package mapping

// date reads a date in any form that the legacy reads.
func (p *Param) date(s string) (value, *Fault) {
	d, ok := parseDate(s)
	switch {
	case !ok:
		return value{}, p.fault(codeDate, "date")
	case d.text == "":
		return value{}, p.fault(codeDate, "unreal_date")
	case d.text == "0" && p.In == InQuery:
		return textValue("now"), nil // what a filter of the legacy means by it
	}
	return textValue(d.text), nil
}

// asksEpochs reports whether any parameter of c does.
func (c *Call) asksEpochs() bool {
	for i := range c.Query {
		if c.asksEpoch(c.Query[i]) {
			return true
		}
	}
	return false
}

// asksEpoch reports whether a asks for exactly the first second of 1970, which the
// legacy cannot be told.
func (c *Call) asksEpoch(a Arg) bool {
	if a.Param.ExactBy == "" || c.lifts(a.Param) {
		return false
	}
	_, isEpoch := afterEpoch(a.Text)
	return isEpoch && c.Value(a.Param.ExactBy) == "true"
}
