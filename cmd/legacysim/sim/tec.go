package sim

import "strings"

// The successor of the legacy API, as version 6.17 of the plugin has it beside
// that one, over the same content. Terms and images are WordPress's own (wp.go).

const tecNamespace = "tec/v1"

func tecRoutes() []route {
	const id = `/(?P<id>\d+)`
	change := []string{"PUT", "PATCH"} // and not POST
	index := []arg{{name: "namespace", schema: object{{"default", tecNamespace}}}, {name: "context", schema: object{{"default", "view"}}}}
	force := []arg{tecBool("force").with("default", false)}
	table := []route{{namespace: tecNamespace, endpoints: []endpoint{{methods: get, args: index, run: (*call).index}}}}
	for _, k := range []kind{eventKind, organizerKind, venueKind} {
		table = append(table, route{namespace: tecNamespace, pattern: "/" + k.resource(), kind: k, endpoints: []endpoint{
			{methods: get, args: tecFilters(k), may: (*call).tecMayList, run: (*call).tecList},
			{methods: create, args: tecFields(k), may: (*call).mayCreate, run: (*call).tecCreate},
		}}, route{namespace: tecNamespace, pattern: "/" + k.resource() + id, kind: k, endpoints: []endpoint{
			{methods: get, may: (*call).tecMayRead, run: (*call).tecRead},
			{methods: change, args: tecFields(k), may: (*call).tecMayEdit, run: (*call).tecUpdate},
			{methods: remove, args: force, may: (*call).tecMayEdit, run: (*call).tecDelete},
		}})
	}
	return append(table, route{namespace: tecNamespace, pattern: "/docs", endpoints: []endpoint{{methods: get, run: (*call).tecDocs}}})
}

// acknowledged wants the header field that goes with requests for items. It is looked at in the
// endpoint itself: faults of parameters come before rights, and these before it.
func (c *call) acknowledged() error {
	said := strings.ToLower(strings.TrimSpace(c.http.Header.Get("X-TEC-EEA")))
	if c.route.kind == "" || said == tecAcknowledgement {
		return nil
	}
	wanted := "appropriate acknowledgement"
	if said == "" {
		wanted = "acknowledgement"
	}
	return refusal(400, "missing_experimental_endpoint_acknowledgement", "Experimental endpoint requires "+wanted+" header.")
}

// tecAcknowledgement is the required value of X-TEC-EEA, in upper or lower case: the
// whole of it is marked experimental.
const tecAcknowledgement = "i understand that this endpoint is experimental and may change in a future release " +
	"without maintaining backward compatibility. i also understand that i am using this endpoint at my own risk, " +
	"while support is not provided for it."

// schema refers to the record in the OpenAPI document.
func (rt *route) schema(c *call) object {
	record := object{{"$ref", c.restLink(tecNamespace+"/docs") + "#/components/schemas/" + rt.kind.title()}}
	return object{
		{"$schema", "http://json-schema.org/draft-04/schema#"}, {"title", strings.TrimPrefix(rt.pattern, "/")},
		{"type", "array"}, {"items", record},
	}
}
