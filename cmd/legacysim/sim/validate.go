package sim

import (
	"errors"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// validate finds faults in the order of WordPress: missing arguments, then those that a
// check refuses, then those of a wrong type. Each stage reports
// all its faults and hides those of the next.
func (c *call) validate(args []arg) error {
	lang := c.root.lang
	var missing []string
	for _, a := range args {
		if a.required && !c.params.given(a.name) && !c.path.given(a.name) {
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
		if f, isTEC := errors.AsType[*tecFault](err); isTEC {
			err = f.about(a.name)
		}
		e, ours := errors.AsType[*apiError](err)
		switch {
		case err == nil:
		case !ours:
			faults = append(faults, paramFault{name: a.name, message: c.root.lang.shared("error.invalid_parameter")})
		case e.status == 500:
			return nil, e
		default:
			faults = append(faults, paramFault{a.name, e.code, e.message, append(object{{"status", e.status}}, e.data...)})
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
	message := c.root.lang.shared("fault.type", "Param", a.name, "Type", a.kind)
	return &paramFault{a.name, "rest_invalid_type", message, object{{"param", a.name}}}
}

func (c *call) badLanguage() []paramFault {
	v, there := c.params[languageArg]
	if !there || c.route.namespace != namespace || !c.site.opts.Languages.declares() || slices.Contains(mapping.Language.Enum, scalar(v)) {
		return nil
	}
	if f := c.mistyped(arg{name: languageArg, kind: "string"}, v); f != nil {
		return []paramFault{*f}
	}
	catalog := i18n.Catalog(c.root.lang.code)
	message := catalog.Text("fault.enum", map[string]string{"Param": languageArg, "List": catalog.Join(mapping.Language.Enum)})
	return []paramFault{{languageArg, "rest_not_in_enum", message, nil}}
}
