package sim

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// validate finds faults in the order in which WordPress does: what is missing,
// then what a check refuses, then what has the wrong type. Each stage tells
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
	if faults := c.faults(args, c.refused); faults != nil {
		return lang.invalidParams(faults)
	}
	if faults := append(c.faults(args, c.mistyped), c.badLanguage()...); faults != nil {
		return lang.invalidParams(faults)
	}
	return nil
}

// faults judges the values that came with the request.
func (c *call) faults(args []arg, judge func(arg, any) *paramFault) []paramFault {
	var faults []paramFault
	for _, a := range args {
		v, there := c.params[a.name]
		if !there {
			continue
		}
		if f := judge(a, v); f != nil {
			faults = append(faults, *f)
		}
	}
	return faults
}

func (c *call) refused(a arg, v any) *paramFault {
	if a.check == nil || v == nil {
		return nil
	}
	err := a.check(c, v)
	if e, ok := errors.AsType[*apiError](err); ok {
		return &paramFault{a.name, e.code, e.message, object{{"status", e.status}}}
	}
	if err != nil {
		return &paramFault{name: a.name, message: c.root.lang.text(msgInvalidOne)}
	}
	return nil
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

func isBoolean(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case json.Number:
		return v == "0" || v == "1"
	case string:
		return slices.Contains([]string{"0", "1", "true", "false"}, strings.ToLower(v))
	}
	return false
}

func (c *call) badLanguage() []paramFault {
	v, there := c.params[languageArg]
	if !there || slices.Contains([]string{"en", "fr", "de", "es"}, scalar(v)) {
		return nil
	}
	if f := c.mistyped(arg{name: languageArg, kind: "string"}, v); f != nil {
		return []paramFault{*f}
	}
	return []paramFault{{languageArg, "rest_not_in_enum", c.root.lang.text(msgEnum, languageArg), nil}}
}
