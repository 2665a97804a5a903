package mapping

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// scalars flattens a value that may be a list in any notation: CSV, x[]=, x[0]=, repeated x=, a JSON array. CSV
// is split, but not in the elements of a list of terms: the name of a term may have a comma. Links and terms
// may be null, which is an empty list.
func (p *Param) scalars(n *Node) (out []Node, f *Fault) {
	single := [1]Node{*n}
	elements := single[:]
	if n.kind == list || n.kind == repetition {
		elements = n.items
	}
	out = make([]Node, 0, len(elements)+strings.Count(n.text, ","))
	for _, e := range elements {
		switch {
		case e.kind == jsonNull && p.In == InBody:
		case e.kind == list || e.kind == jsonNull || e.kind == jsonBoolean:
			return nil, p.wrongType("array")
		case e.kind == object || n.kind == list && p.Kind == Terms:
			if e.kind == rawText {
				e.text = strings.TrimSpace(e.text)
			}
			out = append(out, e)
		default:
			for part := range strings.SplitSeq(e.text, ",") {
				out = append(out, Node{kind: e.kind, text: strings.TrimSpace(part)})
			}
		}
	}
	if len(out) > MaxItems {
		return nil, p.Fault(CodeTooMany, "too_many", "Max", strconv.Itoa(MaxItems))
	}
	for i := range out {
		if f := p.checkText(&out[i]); f != nil {
			return nil, f
		}
	}
	return out, nil
}

// sorted is the canonical form of a set: ids by value, then slugs. Order and repetition mean nothing.
func sorted(texts []string) string {
	slices.SortFunc(texts, func(a, b string) int {
		x, aID := ParseID(a)
		y, bID := ParseID(b)
		switch {
		case aID && bID:
			if len(x) != len(y) { // without leading zeros the longer number is larger
				return cmp.Compare(len(x), len(y))
			}
			return strings.Compare(x, y)
		case aID:
			return -1
		case bID:
			return 1
		}
		return strings.Compare(a, b)
	})
	return strings.Join(slices.Compact(texts), ",")
}

// members reads the ids, or ids and slugs, of a filter.
func (p *Param) members(n *Node) (texts []string, f *Fault) {
	elements, f := p.scalars(n.elements())
	if f != nil {
		return nil, f
	}
	isEmpty := func(e Node) bool { return e.kind != object && e.text == "" } // "10," is a list of one
	elements = slices.DeleteFunc(elements, isEmpty)
	texts = make([]string, 0, len(elements))
	for i := range elements {
		e := &elements[i]
		text, ok := ParseID(e.text)
		switch {
		case p.Kind == IDSet:
			text, ok = e.id()
		case !ok:
			text = e.text
			ok = e.kind == rawText && !strings.ContainsAny(e.text, "/ ")
		}
		if ok {
			texts = append(texts, text)
		}
	}
	if len(texts) < max(1, len(elements)) {
		return nil, p.Fault(CodeInvalid, map[Kind]string{IDSet: "ids", TermSet: "terms"}[p.Kind])
	}
	return texts, nil
}

// joined returns the elements of a list as one text. An element of a set is not split.
func (p *Param) joined(n *Node) (*Node, *Fault) {
	if n.kind != list && n.kind != object {
		return n, nil
	}
	var texts []string
	for _, e := range n.elements().items {
		if e.kind != rawText || p.Kind != Text && strings.Contains(e.text, ",") {
			return n, p.wrongType("array")
		}
		texts = append(texts, e.text)
	}
	return &Node{kind: rawText, text: strings.Join(texts, ",")}, nil
}

// id reads an id where no name is possible: the texts " 5" and "5.0" are ids, too.
func (n *Node) id() (string, bool) {
	if id, ok := ParseID(n.text); ok {
		return id, true
	}
	i, ok := parseWhole(n.text)
	return strconv.FormatInt(i, 10), ok && i > 0
}

// ParseID returns a positive integer without sign and leading zeros.
func ParseID(s string) (string, bool) {
	i, err := strconv.ParseUint(s, 10, 63)
	return strconv.FormatUint(i, 10), err == nil && i > 0
}

// terms reads the ids and names of the terms of an event. A text in the form of an id is an id, as on the
// legacy (recording odd-create-tags--999999-2). 0 and empty texts are left out.
func (p *Param) terms(elements []Node) (value, *Fault) {
	var items []string
	names := 0
	for _, e := range elements {
		id, isID := ParseID(e.text)
		switch {
		case e.kind == object:
			return value{}, p.Fault(CodeInvalid, "terms")
		case e.isNone():
		case isID:
			items = appendNew(items, id)
		case e.kind == jsonNumber:
			return value{}, p.Fault(CodeInvalid, "terms")
		case strings.Contains(e.text, `\`):
			return value{}, p.Fault(CodeInvalid, "backslash") // no recording shows how the legacy accepts a backslash here
		default:
			items = appendNew(items, jsonscan.Quote(e.text))
			names++
		}
	}
	if p.LookedUp && names > MaxLookups {
		return value{}, p.Fault(CodeTooMany, "too_many_names", "Max", strconv.Itoa(MaxLookups))
	}
	return jsonList(items), nil
}

// isNone reports whether PHP considers n empty.
func (n *Node) isNone() bool { return n.kind != object && (n.text == "" || n.text == "0") }

func appendNew(items []string, item string) []string {
	if slices.Contains(items, item) {
		return items
	}
	return append(items, item)
}

func jsonList(items []string) value {
	list := strings.Join(items, ",")
	return value{text: list, json: "[" + list + "]"}
}

// prices reads a list of the prices of an event.
func (p *Param) prices(n *Node) (value, *Fault) {
	var texts []string
	for i := range n.items {
		e := &n.items[i]
		if e.kind == list || e.kind == object || e.kind == jsonNull {
			return value{}, p.wrongType(p.Kind.JSONType())
		}
		if f := p.checkText(e); f != nil {
			return value{}, f
		}
		texts = append(texts, e.text)
	}
	if len(texts) > MaxItems {
		return value{}, p.Fault(CodeTooMany, "too_many", "Max", strconv.Itoa(MaxItems))
	}
	text, json := PriceList(texts)
	return value{text: text, json: json}, nil
}

// PriceList returns several prices, as text and as JSON.
func PriceList(prices []string) (text, json string) {
	items := make([]string, len(prices))
	for i, price := range prices {
		items[i] = jsonscan.Quote(price)
	}
	return strings.Join(prices, " - "), jsonscan.List(items)
}

// MaxLookups is the maximum number of names of terms in a write: each name is looked up.
const MaxLookups = 20
