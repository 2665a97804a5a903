package sim

import "strings"

// tecOperation is what the OpenAPI document says of an operation.
type tecOperation struct {
	noun, summary, description, id string
	responses                      object
}

func tecOperationOf(rt *tecRoute, method string) tecOperation {
	title, many := tecTitle(rt.kind), tecFolder(rt.kind)
	noun := strings.ToLower(title)
	a := "a "
	if strings.ContainsAny(title[:1], "EO") {
		a = "an "
	}
	single := strings.Contains(rt.pattern, "(")
	record := object{tecRef(title)}
	refused := func(verb, what string) object {
		return object{{"401", tecResponse("You are not logged in", nil)}, {"403", tecResponse("You do not have permission to "+verb+" "+what, nil)}}
	}
	bad, missing := member{"400", tecResponse("Invalid request data", nil)}, member{"404", tecResponse("The requested "+noun+" was not found", nil)}
	failed := func(verb string) member { return member{"500", tecResponse("Failed to "+verb+" the "+noun, nil)} }
	done := func(status, verb string, schema object) member {
		return member{status, tecResponse(title+" "+verb+" successfully", schema)}
	}
	switch {
	case method == "GET" && single:
		return tecOperation{noun, "Retrieve " + a + title, "Returns a single " + noun, "get" + title, object{{"200", tecResponse("Returns the "+noun, record)}, missing}}
	case method == "GET":
		return tecOperation{noun, tecListSummary(many), "Returns a list of " + many, "get" + title + "s", tecListResponses(many, record)}
	case method == "POST":
		responses := append(append(object{done("201", "created", record), bad}, refused("create", many)...), failed("create"))
		return tecOperation{noun, "Create " + a + title, "Creates a new " + noun, "create" + title, responses}
	case method == "PUT":
		responses := append(append(object{done("200", "updated", record), bad}, refused("update", "this "+noun)...), missing, failed("update"))
		return tecOperation{noun, "Update " + a + title, "Updates an existing " + noun, "update" + title, responses}
	}
	responses := append(append(object{done("200", "deleted", nil)}, refused("delete", "this "+noun)...), missing,
		member{"410", tecResponse("The "+noun+" has already been trashed", nil)}, failed("delete"),
		member{"501", tecResponse("The "+noun+" does not support trashing. Set force=true to delete", nil)})
	return tecOperation{noun, "Delete " + a + title, "Deletes an existing " + noun, "delete" + title, responses}
}

func tecListSummary(many string) string {
	if many == "events" {
		return "Retrieve Events"
	}
	return "Get " + many
}

func tecListResponses(many string, record object) object {
	return object{
		{"200", tecResponse("Returns the list of "+many, object{{"type", "array"}, {"items", record}})},
		{"400", tecResponse("A required parameter is missing or an input parameter is in the wrong format", nil)},
		{"404", tecResponse("The requested page was not found", nil)},
	}
}

func tecTag(name, of string) object {
	return object{{"name", name}, {"description", "These operations are introduced by " + of + "."}}
}

func tecRef(name string) member { return member{"$ref", "#/components/schemas/" + name} }

func tecResponse(text string, schema object) object {
	o := object{{"description", text}}
	if schema != nil {
		o = o.with("content", object{{"application/json", object{{"schema", schema}}}})
	}
	return o
}
