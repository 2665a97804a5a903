package sim

import (
	"errors"
	"slices"
)

// validate finds faults in the order of WordPress: missing arguments, then those that a
// check refuses, then those of a wrong type. Each stage reports
// all its faults and hides those of the next.
func (c *call) validate(args []arg) error {
	lang := c.root.lang
	var missing []string
	for _, a := range args {
		if a.required && !c.params.given(a.name) && c.path[a.name] == "" {
			missing = append(missing, a.name)
		}
	}
	if missing != nil {
		return lang.missingParams(missing)
	}
	faults, err := c.refusals(args)
	switch {
	case err != nil:
		return err
	case faults != nil:
		return lang.invalidParams(faults)
	}
	for _, a := range args {
		if f := c.mistyped(a, c.params[a.name]); f != nil && c.params.has(a.name) {
			faults = append(faults, *f)
		}
	}
	if faults = append(faults, c.badLanguage()...); faults != nil {
		return lang.invalidParams(faults)
	}
	return nil
}

// refusals are what the checks have against the values that came with the request.
// A fatal error of PHP is an error.
func (c *call) refusals(args []arg) ([]paramFault, error) {
	var faults []paramFault
	for _, a := range args {
		err := c.refused(a, c.params[a.name])
		e, ours := errors.AsType[*apiError](err)
		switch {
		case err == nil:
		case !ours:
			faults = append(faults, paramFault{name: a.name, message: c.root.lang.text(msgInvalidOne)})
		case e.status == 500:
			return nil, e
		default:
			faults = append(faults, paramFault{a.name, e.code, e.message, object{{"status", e.status}}})
		}
	}
	return faults, nil
}

// refused runs the check of an argument on a value other than null.
func (c *call) refused(a arg, v any) error {
	if a.check == nil || v == nil {
		return nil
	}
	return a.check(c, v)
}

// mistyped judges declared types strictly, null included: text where a number
// or boolean is meant is fine if it reads as one.
func (c *call) mistyped(a arg, v any) *paramFault {
	ok := true
	switch a.kind {
	case "string":
		_, ok = v.(string)
	case "integer":
		_, ok = number(v)
	case "boolean":
		ok = isBoolean(v)
	}
	if ok {
		return nil
	}
	return &paramFault{a.name, "rest_invalid_type", c.root.lang.text(msgType, a.name, a.kind), object{{"param", a.name}}}
}

func (c *call) badLanguage() []paramFault {
	v, there := c.params[languageArg]
	if !there || !c.site.opts.Languages.declares() || slices.Contains([]string{"en", "fr", "de", "es"}, scalar(v)) {
		return nil
	}
	if f := c.mistyped(arg{name: languageArg, kind: "string"}, v); f != nil {
		return []paramFault{*f}
	}
	return []paramFault{{languageArg, "rest_not_in_enum", c.root.lang.text(msgEnum, languageArg), nil}}
}
