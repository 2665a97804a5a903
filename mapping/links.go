package mapping

import (
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// links reads the venues or organizers of an event: ids, or objects with the
// fields of new ones. 0 and empty texts are none. The legacy accepts a venue alone
// and refuses it in a list, while it accepts a new organizer in a list alone
// (recordings odd-create-with-venue-list, odd-create-with-organizer-object).
func (p *Param) links(n *Node) (value, *Fault) {
	if n.kind == jsonNull {
		return value{}, nil
	}
	elements, f := p.scalars(n)
	if f != nil {
		return value{}, f
	}
	var items []string
	for _, e := range elements {
		item, f := p.link(e)
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
		return value{}, p.fault(codeTooMany, "single")
	case len(items) == 1:
		return value{text: items[0], json: items[0]}, nil
	}
	return value{json: noLinks}, nil
}

// noLinks is the JSON of a field that removes all links.
const noLinks = "[]"

// link reads one; "" is none.
func (p *Param) link(e Node) (string, *Fault) {
	if e.kind == object {
		return p.inline(e)
	}
	if e.isNone() {
		return "", nil
	}
	id, ok := e.id()
	if !ok {
		return "", p.fault(CodeInvalid, "links")
	}
	return id, nil
}

// inline reads an item described in place: an id, or the fields of a new one.
func (p *Param) inline(e Node) (string, *Fault) {
	if n := e.lookup(IDParam.Name); n.kind != noNode {
		if n.last().isNone() {
			return "", nil
		}
		number, ok := n.last().id()
		if !ok {
			return "", p.fault(CodeInvalid, "links")
		}
		return "{" + jsonscan.Quote(IDParam.Name) + ":" + number + "}", nil
	}
	var members []string
	fields := FieldsOf(p.Of)
	for i := range fields {
		field := &fields[i]
		v, f := field.in(e)
		name := field.Name
		if at, isInstant := instantOf(Written{Arg: Arg{field, v.text}}); isInstant && f == nil {
			// Of an instant only the field in UTC needs no clock.
			if name, v = dateUTC.Name, textValue(at.UTC().Format(time.DateTime)); at.IsZero() {
				f = field.fault(codeDate, "date_zone")
			}
		}
		if f == nil && !v.present() && field.Required {
			f = field.fault(codeRequired, "required")
		}
		if f != nil {
			return "", p.fault(CodeInvalid, "inline", "Field", p.Name+"."+field.Name)
		}
		if v.present() {
			members = append(members, jsonscan.Quote(name)+":"+v.asJSON())
		}
	}
	return "{" + strings.Join(members, ",") + "}", nil
}

// in returns the normalized value of p in n, an object.
func (p *Param) in(n Node) (value, *Fault) {
	v := n.lookup(p.Name)
	if v.kind == noNode {
		return value{}, nil
	}
	return p.normalize(v)
}
