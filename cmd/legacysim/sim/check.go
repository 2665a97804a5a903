package sim

import (
	"slices"
	"strconv"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/dates"
)

// check judges a value by the content of the site. A facade sends no value that is wrong by itself: such
// values are not checked.
type check func(c *call, v any) bool

// arg is one argument of an endpoint.
type arg struct {
	name  string
	check check
}

// argsOf are the arguments of a row of the table that are checked, in the order of the row. The slug in a path
// is not a field beside it.
func argsOf(e *mapping.Endpoint) []arg {
	var args []arg
	for _, p := range e.Args {
		if p.In == mapping.InBody && e.PathParam(p.Name) != nil {
			continue
		}
		check := checkOf(e, p)
		if check != nil {
			args = append(args, arg{name: p.Name, check: check})
		}
	}
	return args
}

// checkOf is the check of an argument, or nil.
func checkOf(e *mapping.Endpoint, p *mapping.Param) check {
	isOfPath := p.In == mapping.InPath
	resource := resourceNamed(e, p)
	switch {
	case p.Name == ticketed:
		return func(_ *call, v any) bool { return !truthy(v) }
	case p.Name == "author":
		return isAuthor
	case p.Name == "timezone":
		return isZone
	case p.Kind == mapping.Image:
		return isImage
	case isOfPath && resource == eventResource && (p.Kind != mapping.Slug || e.Action == mapping.Update):
		return nil // the endpoint finds out
	case isOfPath && p.Kind == mapping.Slug:
		return isSlugOf(kindOf[resource])
	case p.Known != nil && p.In == mapping.InQuery:
		return isListStatus
	case p.Known != nil:
		return isPostStatus
	case p.Kind == mapping.Links:
		return arePlaces(kindOf[resource])
	case p.Kind == mapping.Terms, p.Kind == mapping.Untyped, p.Kind == mapping.IDSet && resource == eventResource:
		return nil
	case kindOf[resource].ofTerms():
		return areTerms(kindOf[resource])
	case resource != "":
		return arePosts(kindOf[resource])
	}
	return nil
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

// validate reports all faults at once.
func (c *call) validate(args []arg) error {
	lang := c.root.lang
	var faults []paramFault
	for _, a := range args {
		v := c.params[a.name]
		switch {
		case v == nil || a.check(c, v):
		case a.name == ticketed: // of a plugin that the site lacks
			faults = append(faults, paramFault{name: a.name, code: "event-tickets-not-active", message: lang.Messages[400]})
		default:
			faults = append(faults, paramFault{name: a.name, message: lang.shared("error.invalid_parameter", nil)})
		}
	}
	faults = append(faults, c.badLanguage()...)
	if faults != nil {
		return lang.invalidParams(faults)
	}
	return nil
}

// ticketed filters events by what the plugin for tickets adds.
const ticketed = "ticketed"

// languageArg is on every endpoint, put there by the plugin that stands in for
// WPML. The value is checked and selects nothing.
const languageArg = "wpml_language"

func (c *call) badLanguage() []paramFault {
	v, ok := c.params[languageArg]
	if !ok || !c.site.opts.Languages.declares() || slices.Contains(mapping.Language.Enum, scalar(v)) {
		return nil
	}
	codes := i18n.Catalog(c.root.lang.code).Join(mapping.Language.Enum)
	message := c.root.lang.shared("fault.enum", map[string]string{"Param": languageArg, "List": codes})
	return []paramFault{{name: languageArg, code: "rest_not_in_enum", message: message}}
}

// areAll wants one or more values, all of them passing.
func areAll(v any, pass func(string) bool) bool {
	values := stringList(v)
	return len(values) > 0 && !slices.ContainsFunc(values, func(s string) bool { return !pass(s) })
}

func isZone(_ *call, v any) bool {
	return isEmpty(v) || dates.Zone(scalar(v)) != nil || offsetName.MatchString(scalar(v))
}

func isAuthor(_ *call, v any) bool {
	n, ok := number(v)
	return ok && n >= 1 && n <= len(Users)
}

// isImage accepts the id of an image, or the URL of one. Fetching a URL is left
// out: only URLs of the site itself are good.
func isImage(c *call, v any) bool { return isEmpty(v) || c.findImage(scalar(v)) != nil }

// postStatuses are the statuses that a request can set.
var postStatuses = []string{"publish", "future", "draft", "pending", "private", "trash", "auto-draft", "inherit"}

func isPostStatus(_ *call, v any) bool { return slices.Contains(postStatuses, scalar(v)) }

// isListStatus shows users without the right to write only published items, and accepts
// an empty status for all that they may see.
func isListStatus(c *call, v any) bool {
	if isEmpty(v) {
		return c.user.createsPost()
	}
	return areAll(v, func(status string) bool {
		return slices.Contains(postStatuses, status) && (status == "publish" || c.user.createsPost())
	})
}

// arePosts wants ids of posts of one kind.
func arePosts(k kind) check {
	return func(c *call, v any) bool {
		return areAll(v, func(s string) bool {
			n, err := strconv.Atoi(s)
			return err == nil && c.blog.find(k, n) != nil
		})
	}
}

// arePlaces accepts empty values, ids of posts of one kind, and objects, which become posts unless they name one.
func arePlaces(k kind) check {
	return func(c *call, v any) bool {
		items, isList := v.([]any)
		if !isList {
			items = []any{v}
		}
		for _, item := range items {
			if fields, ok := item.(map[string]any); ok {
				item = fields["id"]
			}
			if !isEmpty(item) && !arePosts(k)(c, item) {
				return false
			}
		}
		return true
	}
}

// areTerms requires ids or slugs of terms.
func areTerms(tax kind) check {
	return func(c *call, v any) bool {
		return areAll(v, func(s string) bool { return c.blog.findTerm(tax, s) != nil })
	}
}

func isSlugOf(k kind) check {
	return func(c *call, v any) bool {
		return c.blog.bySlug(k, scalar(v)) != nil
	}
}
