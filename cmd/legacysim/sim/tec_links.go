package sim

import (
	"slices"
	"strings"
)

// tecTypes are the declared types of the parameters of lists.
var tecTypes = map[kind]map[string]string{
	eventKind: typesOf(tecFilters(eventKind)), venueKind: typesOf(tecFilters(venueKind)), organizerKind: typesOf(tecFilters(organizerKind)),
}

func typesOf(args []arg) map[string]string {
	types := map[string]string{}
	for _, a := range args {
		types[a.name], _ = a.schema.get("type").(string)
	}
	return types
}

// tecQuery is the query of the request for the links to other pages: the parameters that
// are known are written as PHP has read them, and a false one is dropped.
func (c *call) tecQuery(k kind) query {
	var out query
	for part := range strings.SplitSeq(c.http.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		base, _, _ := strings.Cut(unescape(name), "[")
		v := c.query[base]
		switch declared := tecTypes[k][base]; {
		case base == "", base == "rest_route", slices.ContainsFunc(out, func(p pair) bool { return strings.HasPrefix(p.name, base+"[") }):
		case declared == "boolean" && !phpTrue(v):
		case declared == "boolean":
			out = append(out, pair{base, "1"})
		case declared == "integer":
			n, _ := tecPositive(v)
			out = append(out, pair{base, itoa(n)})
		case declared == "array":
			for i, item := range stringList(v) {
				out = append(out, pair{base + "[" + itoa(i) + "]", item})
			}
		default:
			out = append(out, pair{unescape(name), unescape(value)})
		}
	}
	return out
}
