package mapping

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/mapping/dates"
)

// Unknown is the handling of parameters that the table does not name.
type Unknown string

// Unknown parameters are dropped, as the legacy does, dropped and named in the response, or are faults.
const (
	Drop   Unknown = "drop"
	Report Unknown = "report"
	Reject Unknown = "reject"
)

// Parse checks the values that a client sent to e and returns the canonical form. The error is all Faults, in
// the table's order.
//
// Accepting is a fixed point: parsing [Call.Canonical] returns the same call. HEAD is
// parsed as GET: sites answer a HEAD with a status and a header that differ from GET's.
func Parse(e *Endpoint, method string, input Input, unknown Unknown) (*Call, error) {
	if !e.Allows(method) {
		panic("BUG: " + e.Name() + " has no method " + method)
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if input.InLegacyNames { // the legacy reads filters in another way (recordings events/en/list-include-*)
		e = cmp.Or(e.legacy, e)
	}
	p := parser{input: input, call: &Call{Endpoint: e, Method: method, Query: make([]Arg, 0, usualArgs), InLegacyNames: input.InLegacyNames}}
	if !e.Writes() {
		p.input.Body = Node{} // the body of a read has no meaning
	}
	for _, param := range e.Args {
		p.arg(param)
	}
	for _, param := range input.extensions(e) {
		p.arg(param)
	}
	p.together()
	if e.Writes() && (input.Query.Has(methodParam) || input.Body.Has(methodParam)) {
		p.unknown(methodParam) // another method, which the facade would not obey
	}
	if unknown == Reject {
		for _, name := range e.Dropped(input) {
			p.unknown(name)
		}
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	p.call.Query = slices.DeleteFunc(p.call.Query, func(a Arg) bool { return p.call.Lifts(a.Param) })
	return p.call, nil
}

type parser struct {
	input  Input
	call   *Call
	faults Faults
}

func (p *parser) arg(param *Param) {
	if param.In == InPath {
		var fault *Fault
		p.call.Item, fault = param.item(p.input.Item)
		if fault != nil {
			p.fail(*fault)
		}
		return
	}
	n := p.find(param)
	switch {
	case (n.kind == noNode || n.kind == jsonNull) && p.call.Endpoint.Requires(param):
		p.fail(Fault{Param: param.Name, Missing: true})
		return
	case n.kind == noNode:
		p.byDefault(param)
		return
	}
	v, fault := p.call.Endpoint.readParam(param, n)
	switch {
	case fault != nil:
		p.fail(*fault)
	case !v.present():
		p.byDefault(param)
	case param.AliasOf != "":
		p.alias(param, v)
	default:
		p.add(param, v)
	}
}

// maxFaults bounds the response to a request full of unknown names.
const maxFaults = 100

// fail records the first fault of each parameter.
func (p *parser) fail(f Fault) {
	if len(p.faults) < maxFaults && !slices.ContainsFunc(p.faults, func(fault Fault) bool { return fault.Param == f.Param }) {
		p.faults = append(p.faults, f)
	}
}

// find returns the value that the client sent for param. The body of a write precedes the query, as in
// WordPress.
func (p *parser) find(param *Param) *Node {
	n := p.input.Body.lookup(param.Name)
	if n.kind != noNode {
		return n
	}
	return p.input.Query.lookup(param.Name)
}

// add inserts into Query, which stays sorted: Query is short, and the table's order is nearly sorted.
func (p *parser) add(param *Param, v value) {
	arg := Arg{Param: param, Text: v.text}
	switch {
	case param.In == InBody:
		p.call.Fields = append(p.call.Fields, Written{Arg: arg, JSON: v.asJSON()})
		return
	case slices.Contains(p.call.Endpoint.Extensions, param):
		p.call.View = append(p.call.View, arg)
		return
	case param == &Language:
		p.call.Language = v.text
	}
	query := append(p.call.Query, arg)
	for i := len(query) - 1; i > 0 && param.Name < query[i-1].Param.Name; i-- {
		query[i], query[i-1] = query[i-1], query[i]
	}
	p.call.Query = query
}

// byDefault adds the default of a parameter that is absent, or counts as absent.
func (p *parser) byDefault(param *Param) {
	if param.Default != "" && param.In == InQuery {
		p.add(param, value{text: param.Default})
	}
}

// alias adds v, unless the parameter AliasOf has the same value. Errors of the backend have the name that the
// client sent. The legacy applies param if both have a value.
func (p *parser) alias(param *Param, v value) {
	target := slices.IndexFunc(p.call.Query, func(a Arg) bool { return a.Param.Name == param.AliasOf })
	switch {
	case target < 0:
		p.add(param, v)
	case param.Overrides:
		p.call.Query = slices.Delete(p.call.Query, target, target+1)
		p.add(param, v)
	case p.call.Query[target].Text != v.text:
		p.fail(*param.Fault(CodeInvalid, "alias", "Other", param.AliasOf))
	}
}

// together checks the parameters that must come with another, and refuses the only time for which the legacy
// has no exact filter.
func (p *parser) together() {
	for _, param := range p.call.Endpoint.Params {
		switch {
		case param.With != "" && p.find(param).kind != noNode:
			missing := Param{Name: param.With}
			if p.find(&missing).kind == noNode {
				p.fail(*missing.Fault(codeRequired, "with", "Other", param.Name))
			}
		case param.ExactBy != "":
			a, ok := p.call.Argument(param)
			exact := ok && p.call.Value(param.ExactBy) == "true" && !p.call.Lifts(param)
			if exact && dates.AfterEpoch(a.Text) != a.Text { // is the first second of 1970
				p.fail(*param.Fault(CodeDate, "epoch", "Other", param.ExactBy))
			}
		}
	}
}

// unknown reports a name that the table does not have.
func (p *parser) unknown(name string) {
	param := Param{Name: name}
	p.fail(*param.Fault(codeAdditional, "unknown"))
}

// Language returns the language that the input selects, and that faults are reported in; "" without a known
// language.
func (input Input) Language() string {
	for _, n := range []Node{input.Body, input.Query} {
		text := n.lookup(Language.Name).last().text
		if slices.Contains(Language.Enum, text) {
			return text
		}
	}
	return ""
}
