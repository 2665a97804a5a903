package sim

// termFilters are the arguments of a list of terms; tags have no parent.
func termFilters(tax taxonomy) []arg {
	filters := join(pageArgs, []arg{
		{name: "search", kind: "string", check: isText, filter: true},
		{name: "exclude", items: true, check: areTerms(tax), filter: true},
		{name: "include", items: true, check: areTerms(tax), filter: true},
		{name: "order", kind: "string", check: isText, filter: true},
		{name: "orderby", kind: "string", check: isText, filter: true},
		{name: "hide_empty", kind: "boolean", def: "1", filter: true},
	})
	if tax == categoryTaxonomy {
		filters = append(filters, arg{name: "parent", kind: "integer", check: areTerms(tax), filter: true})
	}
	return append(filters,
		arg{name: "post", kind: "integer", check: isEvent, filter: true},
		arg{name: "event", kind: "integer", check: isEvent, filter: true},
		arg{name: "slug", kind: "string", check: isText, filter: true},
	)
}

// termFields are the fields of a term to create; tags have no parent.
func termFields(tax taxonomy) []arg {
	fields := []arg{
		{name: "name", kind: "string", required: true, check: isText},
		{name: "description", kind: "string", check: isText},
		{name: "slug", kind: "string", check: isText},
	}
	if tax == categoryTaxonomy {
		fields = append(fields, arg{name: "parent", kind: "integer", check: areTerms(tax)})
	}
	return fields
}

func termID(tax taxonomy) []arg {
	return []arg{{name: "id", kind: "integer", required: true, check: areTerms(tax), twice: tax == categoryTaxonomy}}
}
