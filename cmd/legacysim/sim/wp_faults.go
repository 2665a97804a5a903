package sim

import (
	"slices"
	"strings"
)

// wpFaults are what WordPress has against the parameters of a list.
func (c *call) wpFaults(orders []string) error {
	var faults []paramFault
	bad := func(name, code, text string, data any) {
		faults = append(faults, paramFault{name, code, text, data})
	}
	if v := c.params["page"]; v != nil {
		if _, ok := positive(v); !ok {
			bad("page", "rest_out_of_bounds", "page must be greater than or equal to 1", nil)
		}
	}
	if v := c.params["per_page"]; v != nil {
		if n, ok := positive(v); !ok || n > 100 {
			bad("per_page", "rest_out_of_bounds", "per_page must be between 1 (inclusive) and 100 (inclusive)", nil)
		}
	}
	for i, s := range c.params.list("include") {
		if _, ok := number(s); !ok {
			item := "include[" + itoa(i) + "]"
			bad("include", "rest_invalid_type", item+" is not of type integer.", object{{"param", item}})
			break
		}
	}
	oneOf := func(name string, values []string) {
		if c.params.given(name) && !slices.Contains(values, c.params.str(name)) {
			bad(name, "rest_not_in_enum", name+" is not one of "+wpEnum(values)+".", nil)
		}
	}
	oneOf("order", []string{"asc", "desc"})
	oneOf("orderby", orders)
	if faults != nil {
		return c.root.lang.invalidParams(faults)
	}
	return nil
}

func wpEnum(values []string) string {
	last := len(values) - 1
	if last == 1 {
		return values[0] + " and " + values[1]
	}
	return strings.Join(values[:last], ", ") + ", and " + values[last]
}

// wpContext refuses the fields for editing to those who do not edit.
func (c *call) wpContext(may bool, what string) error {
	if c.params.str("context") != "edit" || may {
		return nil
	}
	e := c.forbidden().(*apiError)
	e.code, e.message = "rest_forbidden_context", "Sorry, you are not allowed to edit "+what+"."
	return e
}
