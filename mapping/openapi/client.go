package openapi

import (
	"slices"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// ClientDocument is the documentation for generators of clients. It promises nothing that
// [Document] does not; see clientForm.
func ClientDocument(base string, language string, catalog mapping.Texts) []byte {
	return encode(clientForm(document{language: language, texts: catalog}.complete(base)))
}

// clientForm reduces a complete document to what makes the best generated code:
//
//   - Of HEAD, OPTIONS and three methods that mean the same, one operation remains: PUT.
//   - Bodies are JSON. With several media types, generators compare the type of a response
//     with each, and their comparison fails for one with a charset.
//   - Each operation has one success and one error, which generators give one type. A 304
//     has no header fields: the client has them from the stored response.
//   - Bodies have no defaults: generators make fields with one required, or send it.
//   - The one way to sign in is the way of programs. Generators send the credentials in all
//     ways that an operation names.
//   - Components without a reference are gone.
func clientForm(doc members) members {
	paths := members{}
	for _, path := range doc.object("paths") {
		paths = append(paths, member{path.name, clientOperations(path.value.(members))})
	}
	components := doc.object("components")
	components = components.
		with("securitySchemes", components.object("securitySchemes").only(named(clientScheme))).
		with("responses", clientResponses(components.object("responses"))).
		with("schemas", withoutDefaults(components.object("schemas")))
	return referenced(doc.with("paths", paths).with("components", components))
}

const (
	clientScheme = "basic"
	clientMedia  = "application/json"
	clientError  = "ErrorResult" // the component of the response to what failed
)

func named(name string) func(member) bool { return func(m member) bool { return m.name == name } }

// clientOperations returns the operations of a path that do something else than the others. PUT stands
// for POST and PATCH, as its description says.
func clientOperations(path members) members {
	same := []string{"head", "options"}
	if path.get("put") != nil {
		same = append(same, "post", "patch")
	}
	operations := path.only(func(m member) bool { return !slices.Contains(same, m.name) })
	for i := range operations {
		operations[i].value = clientOperation(operations[i].value.(members))
	}
	return operations
}

func clientOperation(operation members) members {
	responses := operation.object("responses").only(func(m member) bool { return m.name < "4" })
	for i := range responses {
		responses[i].value = responses[i].value.(members).only(func(m member) bool { return m.name != "headers" })
	}
	var security []any
	for _, need := range operation.get("security").([]any) {
		if need := need.(members); len(need.only(named(clientScheme))) == len(need) {
			security = append(security, need)
		}
	}
	return operation.
		with("operationId", strings.TrimSuffix(operation.get("operationId").(string), ".put")).
		with("requestBody", jsonOnly(operation.object("requestBody"))).
		with("responses", append(responses, member{"default", ref("responses", clientError)})).
		with("security", security)
}

// jsonOnly leaves of a body the form in JSON.
func jsonOnly(body members) members {
	return body.with("content", body.object("content").only(named(clientMedia)))
}

// clientResponses returns the responses of successes, and one for all errors with all of their codes.
func clientResponses(responses members) members {
	var codes []string
	successes := members{}
	for _, r := range responses {
		response := r.value.(members)
		if found, failed := response.get("x-codes").([]string); failed {
			codes = append(codes, found...)
		} else if r.name != "default" {
			successes = append(successes, r)
		}
	}
	slices.Sort(codes)
	failure := append(jsonOnly(responses.object("default")), member{"x-codes", slices.Compact(codes)})
	return append(successes, member{clientError, failure})
}

func withoutDefaults(schemas members) members {
	out := members{}
	for _, schema := range schemas {
		properties := members{}
		for _, property := range schema.value.(members).object("properties") {
			rest := property.value.(members).only(func(m member) bool { return m.name != "default" })
			properties = append(properties, member{property.name, rest})
		}
		out = append(out, member{schema.name, schema.value.(members).with("properties", properties)})
	}
	return out
}

// referenced leaves of the components those that the paths refer to, directly or by others.
func referenced(doc members) members {
	components, reached := doc.object("components"), map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case []members:
			for _, inner := range v {
				walk(inner)
			}
		case members:
			for _, m := range v {
				if target, ok := m.value.(string); ok && m.name == "$ref" && !reached[target] {
					reached[target] = true
					kind, name, _ := strings.Cut(strings.TrimPrefix(target, componentPrefix), "/")
					walk(components.object(kind).get(name))
				}
				walk(m.value)
			}
		}
	}
	walk(doc.get("paths"))
	rest := members{}
	for _, kind := range components {
		all := kind.value.(members)
		if kind.name != "securitySchemes" { // which are named without a reference
			all = all.only(func(m member) bool { return reached[componentPrefix+kind.name+"/"+m.name] })
		}
		rest = append(rest, member{kind.name, all})
	}
	return doc.with("components", rest)
}
