package sim

import (
	"errors"
	"slices"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// check judges a value that is there. Any error but an *apiError shows as a plain "invalid".
type check func(c *call, v any) error

// arg is one argument of an endpoint: the description and the check.
type arg struct {
	name     string
	kind     string // JSON type that is checked strictly after check; "" disables that
	required bool
	// check runs first and only accepts or refuses; nil accepts everything.
	check check
}

// languageArg is on every endpoint, put there by the plugin that stands in for
// WPML. The value is checked and selects nothing.
const languageArg = "wpml_language"

// argsOf are the arguments of a row of the table, in the order of the row. The slug in a path is not a field
// beside it.
func argsOf(e *mapping.Endpoint) []arg {
	var args []arg
	for _, p := range e.Args {
		if p != &mapping.Language && (p.In != mapping.InBody || e.PathParam(p.Name) == nil) {
			args = append(args, argOf(e, p))
		}
	}
	return args
}

func argOf(e *mapping.Endpoint, p *mapping.Param) arg {
	a := arg{name: p.Name, kind: kindOfArg(e, p), required: e.Requires(p), check: checkOf(e, p)}
	if p == e.PathParam(mapping.SlugParam.Name) && updatesEvent(e) { // checked by the endpoint alone
		a.required, a.check = false, isText
	}
	return a
}

func updatesEvent(e *mapping.Endpoint) bool {
	return e.Resource == eventResource && e.Action == mapping.Update
}

func isStatusFilter(p *mapping.Param) bool { return p.In == mapping.InQuery && p.Known != nil }

// kindOfArg is the declared type; "" for lists, for arguments of any type, and for the dates of filters.
func kindOfArg(e *mapping.Endpoint, p *mapping.Param) string {
	kind := p.Kind.JSONType()
	switch p.Kind {
	case mapping.Untyped, mapping.Price, mapping.BooleanLike, mapping.Number:
		return ""
	case mapping.DateTime:
		if p.In == mapping.InQuery {
			return ""
		}
	}
	if kind == "array" || e.Action == mapping.Index || isStatusFilter(p) {
		return ""
	}
	return kind
}

// checkOf is the check of the plugin that precedes the check of the type. Booleans, numbers and terms are
// left to the check of the type, and any dates of venues and organizers are accepted.
func checkOf(e *mapping.Endpoint, p *mapping.Param) check {
	switch resource := resourceNamed(e, p); {
	case e.Action == mapping.Index:
		return nil
	case p.Name == "ticketed":
		return needsTickets
	case p.Name == "author":
		return isAuthor
	case p.Name == "timezone":
		return orEmpty(true, isZone)
	case p.Name == "website":
		return orEmpty(true, isURL)
	case p.In == mapping.InPath && p.Kind == mapping.Slug:
		return isSlugOf(kindOf[e.Resource])
	case p.In == mapping.InPath && e.Resource == eventResource:
		return isNumeric
	case p.Known != nil && p.In == mapping.InQuery:
		return isListStatus
	case p.Known != nil:
		return isPostStatus
	case p.Kind == mapping.IDSet && resource == eventResource:
		return arePositive
	case p.Kind == mapping.Integer && resource == eventResource:
		return isEvent
	case p.Kind == mapping.Links:
		return isPlaceInput(resource)
	case p.Kind == mapping.Terms, p.Kind == mapping.Untyped:
		return nil
	case kindOf[resource].ofTerms():
		return areTerms(kindOf[resource])
	case resource != "":
		return arePosts(kindOf[resource])
	}
	return checkOfKind(e, p)
}

// resourceNamed is the resource of the items that an argument names; "" if the argument names no items.
func resourceNamed(e *mapping.Endpoint, p *mapping.Param) string {
	switch {
	case p.Names != "":
		return p.Names
	case p.In == mapping.InPath:
		return e.Resource
	}
	return p.Of
}

func checkOfKind(e *mapping.Endpoint, p *mapping.Param) check {
	switch p.Kind {
	case mapping.Integer:
		return isPositive
	case mapping.BooleanLike:
		return isGiven
	case mapping.DateTime:
		if e.Resource == eventResource {
			return isDate
		}
	case mapping.Image:
		return orEmpty(p.Null, isImage)
	case mapping.Text, mapping.Slug:
		return orEmpty(p.Null, isText)
	}
	return nil
}

// validate finds faults in the order of WordPress: missing arguments, then those that a check refuses, then
// arguments of a wrong type. Each stage reports all faults of the stage and hides the faults of the next.
func (c *call) validate(args []arg) error {
	lang := c.root.lang
	var missing []string
	for _, a := range args {
		if a.required && !c.params.isGiven(a.name) && !c.path.isGiven(a.name) {
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

// refusals are the objections of the checks to the values of the request.
// A fatal error of PHP is an error.
func (c *call) refusals(args []arg) ([]paramFault, error) {
	var faults []paramFault
	for _, a := range args {
		err := c.refused(a, c.params[a.name])
		e, ours := errors.AsType[*apiError](err)
		switch {
		case err == nil:
		case !ours:
			faults = append(faults, paramFault{name: a.name, message: c.root.lang.shared("error.invalid_parameter", nil)})
		case e.status == 500:
			return nil, e
		default:
			faults = append(faults, paramFault{name: a.name, code: e.code, message: e.message, data: e.data})
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

// mistyped judges declared types strictly, null included: text where a number or boolean is meant is fine if
// PHP reads the text as a number or boolean.
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
	message := c.root.lang.shared("fault.type", map[string]string{"Param": a.name, "Type": a.kind})
	return &paramFault{
		name:    a.name,
		code:    "rest_invalid_type",
		message: message,
		data:    object{{"param", a.name}},
	}
}

func (c *call) badLanguage() []paramFault {
	v, ok := c.params[languageArg]
	if !ok || !c.site.opts.Languages.declares() || slices.Contains(mapping.Language.Enum, scalar(v)) {
		return nil
	}
	if f := c.mistyped(arg{name: languageArg, kind: "string"}, v); f != nil {
		return []paramFault{*f}
	}
	codes := i18n.Catalog(c.root.lang.code).Join(mapping.Language.Enum)
	message := c.root.lang.shared("fault.enum", map[string]string{"Param": languageArg, "List": codes})
	return []paramFault{{languageArg, "rest_not_in_enum", message, nil}}
}
