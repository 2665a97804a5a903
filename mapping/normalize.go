package mapping

import (
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// readParam returns the normalized value of n, which a request to e has for p. In an update null empties the
// item's value, as on the legacy (recording odd-update-48-tags).
func (e *Endpoint) readParam(p *Param, n *Node) (value, *Fault) {
	if n.kind == jsonNull && e.Action == Update && p.In == InBody && p.acceptsNull() {
		n = &Node{kind: jsonString}
	}
	v, fault := p.normalize(n)
	if fault == nil && p.CannotEmpty && e.Action == Update && v.present() && strings.TrimSpace(v.text) == "" {
		fault = p.Fault(CodeInvalid, "cannot_empty")
	}
	return v, fault
}

// AcceptsNull reports whether a request to e may have null for p, a field.
func (e *Endpoint) AcceptsNull(p *Param) bool {
	_, fault := e.readParam(p, &Node{kind: jsonNull})
	return fault == nil && !e.Requires(p)
}

// normalize checks n against p and returns the canonical form of n.
func (p *Param) normalize(n *Node) (value, *Fault) {
	if p.Joined {
		var f *Fault
		n, f = p.joined(n)
		if f != nil {
			return value{}, f
		}
	}
	switch p.Kind {
	case IDSet, TermSet:
		texts, f := p.members(n)
		switch {
		case f != nil:
			return value{}, f
		case p.Ordered:
			return value{text: strings.Join(texts, ","), json: "[]"}, nil
		}
		return value{text: sorted(texts), json: "[]"}, nil
	case FieldSet:
		return p.fieldSet(n)
	case Terms, Links:
		return p.references(n)
	}
	n = n.last()
	if n.kind == jsonNull {
		if p.acceptsNull() {
			return value{}, nil
		}
		f := p.wrongType(p.Kind.JSONType())
		f.Opaque = false // the legacy leaves null to the schema (recordings odd-update-02-title and its like)
		return value{}, f
	}
	if n.kind == list && p.Kind == Price {
		return p.prices(n)
	}
	if n.kind == list || n.kind == object {
		return value{}, p.wrongType(p.Kind.JSONType())
	}
	if f := p.checkText(n); f != nil {
		return value{}, f
	}
	blank := n.text == "" || p.In == InBody && n.text == "0" || p.CannotEmpty && strings.TrimSpace(n.text) == ""
	if p.Filled && blank { // of a field "0" too: the legacy checks with PHP's empty()
		return value{}, p.emptyFault()
	}
	return p.scalar(n)
}

// references reads the terms, venues or organizers of an event.
func (p *Param) references(n *Node) (value, *Fault) {
	if n.kind == jsonNull {
		return value{}, nil
	}
	if p.Kind == Terms {
		n = n.elements()
	}
	elements, f := p.scalars(n)
	switch {
	case f != nil:
		return value{}, f
	case p.Kind == Links:
		return p.links(elements)
	}
	return p.terms(elements)
}

// links reads the venues or organizers of an event: ids, or objects with the fields of new ones. 0 and empty
// texts are left out. The legacy accepts a single venue and refuses a list of one, but accepts a new organizer
// only in a list (recordings odd-create-with-venue-list, odd-create-with-organizer-object).
func (p *Param) links(elements []Node) (value, *Fault) {
	var items []string
	for _, e := range elements {
		var f *Fault
		item, isID := e.id()
		switch {
		case e.kind == object:
			item, f = p.inline(e)
		case e.isNone():
			item = ""
		case !isID:
			f = p.Fault(CodeInvalid, "links")
		}
		if f != nil {
			return value{}, f
		}
		if item != "" {
			items = appendNew(items, item)
		}
	}
	switch {
	case !p.Single:
		return jsonList(items), nil
	case len(items) > 1:
		return value{}, p.Fault(CodeTooMany, "single")
	case len(items) == 1:
		return value{text: items[0], json: items[0]}, nil
	}
	return value{json: NoLinks}, nil
}

// NoLinks is the JSON of a field that removes all links.
const NoLinks = "[]"

// inline reads an item described in place: an id, or the fields of a new one.
func (p *Param) inline(e Node) (string, *Fault) {
	n := e.lookup(IDParam.Name).last()
	if n.kind != noNode {
		if n.isNone() {
			return "", nil
		}
		number, ok := n.id()
		if !ok {
			return "", p.Fault(CodeInvalid, "links")
		}
		return "{" + jsonscan.Quote(IDParam.Name) + ":" + number + "}", nil
	}
	var members []string
	for _, field := range FieldsOf(p.Of) {
		var v value
		var f *Fault
		n := e.lookup(field.Name)
		if n.kind != noNode {
			v, f = field.normalize(n)
		}
		name := field.Name
		if instant, ok := (Arg{Param: field, Text: v.text}).Instant(time.Time{}); ok && f == nil {
			// Of an instant only the field in UTC needs no clock.
			name = DateUTCParam.Name
			v = textValue(instant.UTC().Format(time.DateTime))
			if instant.IsZero() {
				f = field.Fault(CodeDate, "date_zone")
			}
		}
		if f == nil && !v.present() && field.Required {
			f = field.Fault(codeRequired, "required")
		}
		if f != nil {
			return "", p.Fault(CodeInvalid, "inline", "Field", p.Name+"."+field.Name)
		}
		if v.present() {
			members = append(members, jsonscan.Quote(name)+":"+v.asJSON())
		}
	}
	return "{" + strings.Join(members, ",") + "}", nil
}
