package report

import (
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Weight is how much a finding matters to visitors.
type Weight string

// The weights, the most important first.
const (
	Serious   Weight = "serious"   // an item is missing, additional or unreadable, or an event is at another time
	Visible   Weight = "visible"   // texts, links, images, and what belongs to an item
	Technical Weight = "technical" // the rest, which programs read
)

// Weights are all weights, the most important first.
var Weights = []Weight{Serious, Visible, Technical}

// rank returns the position of a weight in the order.
func (w Weight) rank() int {
	for i := range Weights {
		if Weights[i] == w {
			return i
		}
	}
	return len(Weights)
}

// weigh returns the weight of a kind of difference at a member of an item or, without an id, of a
// list.
func weigh(resource, id, member string, kind compare.Kind) Weight {
	switch {
	case member == "":
		return Serious
	case id == "":
		return Visible
	}
	weight := Technical
	for _, a := range attributes(resource, member) {
		switch {
		case a.When:
			return Serious
		case a.Resource != "", a.Class == mapping.Prose, a.Class == mapping.Email, a.Class == mapping.PageLink, a.Class == mapping.Website:
			weight = Visible
		}
	}
	return weight
}

// attributes returns the attributes of the table that the path of a member names.
func attributes(resource, member string) []*mapping.Attribute {
	s := shapeOf(resource)
	var all []*mapping.Attribute
	for name := range strings.SplitSeq(member, ".") {
		a, _ := s.Find([]byte(strings.TrimRight(name, "[]")), 0)
		all = append(all, a)
		s = a.Shape
	}
	return all
}

// shapeOf returns the shape of an item; nil for an unknown resource.
func shapeOf(resource string) *mapping.Shape {
	for i := range mapping.Table {
		if e := &mapping.Table[i]; e.Resource == resource && e.Action == mapping.Read {
			return e.Result
		}
	}
	return nil
}
