package sim

import "github.com/calfacade/calfacade/mapping"

// argsOf are the arguments of a row of the table, in its order. The slug in a path is not a field
// beside it.
func argsOf(e *mapping.Endpoint) []arg {
	var args []arg
	for _, p := range e.Args() {
		if p != &mapping.Language && (p.In != mapping.InBody || e.PathParam(p.Name) == nil) {
			args = append(args, argOf(e, p))
		}
	}
	return args
}

func argOf(e *mapping.Endpoint, p *mapping.Param) arg {
	a := arg{name: p.Name, kind: kindOfArg(e, p), required: e.Requires(p), check: checkOf(e, p)}
	if p.In == mapping.InPath {
		a.twice = e.Resource == organizerDef.key || e.Resource == categoryDef.key
	}
	if p == e.PathParam(mapping.SlugParam.Name) && updatesEvent(e) { // checked by the endpoint alone
		a.required, a.twice, a.check = false, true, isText
	}
	a.schema = defaultOf(e, p)
	if a.kind != "" {
		a.schema = a.schema.with("type", a.kind)
	}
	switch {
	case p.Kind == mapping.Number:
		a.schema = a.schema.with("format", "double")
	case isStatusFilter(p):
		a.schema = a.schema.with("format", "string")
	case p.Kind.JSONType() == "array":
		a.schema = a.schema.with("items", object{{"type", "integer"}})
	}
	return a
}

func updatesEvent(e *mapping.Endpoint) bool {
	return e.Resource == eventResource && e.Action == mapping.Update
}

func isStatusFilter(p *mapping.Param) bool { return p.In == mapping.InQuery && p.Known != nil }

// kindOfArg is the declared type; "" for lists, for what may have any, and for the dates of filters.
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

// defaultOf is the default that is described, if there is one. Most are texts.
func defaultOf(e *mapping.Endpoint, p *mapping.Param) object {
	switch {
	case p.Null, p.In == mapping.InBody && e.Resource == organizerDef.key:
		return object{{"default", nil}}
	case p.Generated == mapping.LastMidnight:
		return object{{"default", func(c *call) any { return c.defaultStart().Format(dateTime) }}}
	case p.Generated == mapping.TwoYearsOn:
		return object{{"default", func(c *call) any { return c.defaultEnd().Format(dateTime) }}}
	case p.Default == "":
		return nil
	case p.Name == mapping.PageParam.Name:
		return object{{"default", 1}}
	case p.Kind == mapping.Untyped, p.In == mapping.InBody:
		return object{{"default", p.Default == "true"}}
	}
	return object{{"default", p.Default}}
}

// checkOf is how the plugin checks a value before its type. It leaves booleans, numbers and terms
// to the check of the type, and accepts dates of venues and organizers, whatever they are.
func checkOf(e *mapping.Endpoint, p *mapping.Param) check {
	switch of := resourceNamed(e, p); {
	case e.Action == mapping.Index:
		return nil
	case p.Name == "ticketed":
		return needsTickets
	case p.Name == "author":
		return isAuthor
	case p.Name == "timezone":
		return isZone
	case p.Name == "website":
		return isURL
	case p.In == mapping.InPath && p.Kind == mapping.Slug:
		return isSlugOf(kindOf[e.Resource])
	case p.In == mapping.InPath && e.Resource == eventResource:
		return isNumeric
	case p.Known != nil && p.In == mapping.InQuery:
		return isListStatus
	case p.Known != nil:
		return isPostStatus
	case p.Kind == mapping.IDSet && of == eventResource:
		return arePositive
	case p.Kind == mapping.Integer && of == eventResource:
		return isEvent
	case p.Kind == mapping.Links:
		return isPlaceInput(of)
	case p.Kind == mapping.Terms, p.Kind == mapping.Untyped:
		return nil
	case taxonomyOf[of] != "":
		return areTerms(taxonomyOf[of])
	case of != "":
		return arePosts(kindOf[of])
	}
	return checkOfKind(e, p)
}

// resourceNamed is the resource whose items an argument names; "" for none.
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
		if p.Null {
			return isImageOrEmpty
		}
		return isImage
	case mapping.Text, mapping.Slug:
		if p.Null {
			return isTextOrEmpty
		}
		return isText
	}
	return nil
}
