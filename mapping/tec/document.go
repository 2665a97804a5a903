package tec

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// description is the successor's OpenAPI document, which is public and needs no acknowledgement. Not
// all of it is true (recordings tec/events-list-categories and -tags), but a name that it lacks in a new
// version of the plugin shows where the dialect has to change.
var description = &mapping.Description{Path: "/docs", Lost: undocumented}

// undocumented lists the filters and fields, by resource and their names in the table, that the dialect sends and
// a site's document does not have.
func undocumented(document []byte) (names []string, err error) {
	paths := jsonscan.Get(document, "paths")
	if !jsonscan.IsValid(document) || paths.Kind() != jsontext.KindBeginObject {
		return nil, errShape
	}
	for _, resource := range mapping.Resources() {
		if termPaths[resource] != "" {
			continue
		}
		filters := jsonscan.AsList(jsonscan.Get(jsonscan.Get(jsonscan.Get(paths, "/"+resource), "get"), "parameters"))
		for _, p := range mapping.RowOf(resource, mapping.List, false).Args {
			sent := strings.TrimSuffix(sentName(resource, p), "[]")
			has := func(filter jsontext.Value) bool { return jsonscan.Text(jsonscan.Get(filter, "name")) == sent }
			if sent != "" && !slices.ContainsFunc(filters, has) {
				names = append(names, resource+"."+p.Name)
			}
		}
		for _, p := range mapping.FieldsOf(resource) {
			sent := jsonscan.Quote(nameOf(resource, p.Name)) // in one of many schemas
			if !isLacking(resource, p.Name) && !bytes.Contains(document, []byte(sent)) {
				names = append(names, resource+"."+p.Name)
			}
		}
	}
	return names, nil
}
