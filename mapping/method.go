package mapping

import (
	"slices"
	"strings"
)

// MethodField is the header field in which a POST names the method that it means, as WordPress's own
// client sends PUT, PATCH and DELETE (recording events/en/update-method-override-header).
const MethodField = "X-HTTP-Method-Override"

// methodParam means the same to WordPress, in the query of any request (recordings
// events/en/update-_method-query, delete-_method-query). Some libraries send it in the body.
const methodParam = "_method"

// override has the methods that a POST can mean.
var override = Param{Name: MethodField, Kind: Text, Enum: []string{"DELETE", "PATCH", "POST", "PUT"}}

// Override returns the method that a POST with these values of MethodField means. The error is
// Faults: a name of another method, or more than one name.
func Override(values []string) (string, error) {
	if method := strings.ToUpper(values[0]); len(values) == 1 && slices.Contains(override.Enum, method) {
		return method, nil
	}
	return "", Faults{*override.notInEnum()}
}

// method refuses a write that names another method by a parameter, which would not be obeyed.
func (p *parser) method() {
	for _, n := range []Node{p.query, p.body} {
		if n.lookup(methodParam).kind != noNode {
			p.fail(*(&Param{Name: methodParam}).fault(codeAdditional, "unknown"))
		}
	}
}
