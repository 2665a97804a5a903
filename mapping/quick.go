package mapping

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping/dates"
)

// slots are the places for what a query says to an endpoint, one for each
// parameter that quick reads. They are sorted by name, as a call is.
type slots struct {
	path     *Param   // nil for a collection
	params   []*Param // parallel to what follows: bits, and indexes by the length of the name
	byLength [][]int  // few names share theirs
	defaults uint64   // which have a default
	lifters  uint64   // which lift others
	times    uint64   // which can be asked for exactly
}

// maxSlots is more than the longest list of parameters has; at most 64.
const maxSlots = 24

// makeSlots leaves out what has to do with other parameters, but for lifting.
func (e *Endpoint) makeSlots() slots {
	var s slots
	for _, p := range e.args {
		switch {
		case p.In == InPath:
			s.path = p
		case p.In == InQuery && p.AliasOf == "" && p.With == "":
			s.params = append(s.params, p)
		}
	}
	if len(s.params) > maxSlots {
		panic("BUG: maxSlots is too small for " + e.Name())
	}
	slices.SortFunc(s.params, func(a, b *Param) int { return strings.Compare(a.Name, b.Name) })
	for i, p := range s.params {
		for len(s.byLength) <= len(p.Name) {
			s.byLength = append(s.byLength, nil)
		}
		s.byLength[len(p.Name)] = append(s.byLength[len(p.Name)], i)
		if p.Default != "" {
			s.defaults |= 1 << i
		}
		if slices.ContainsFunc(s.params, func(lifted *Param) bool { return lifted.LiftedBy == p.Name }) {
			s.lifters |= 1 << i
		}
		if p.ExactBy != "" {
			s.times |= 1 << i
		}
	}
	return s
}

// find returns the slot of a name, -1 for one that has none.
func (s *slots) find(name string) int {
	if len(name) >= len(s.byLength) {
		return -1
	}
	for _, i := range s.byLength[len(name)] {
		if s.params[i].Name == name {
			return i
		}
	}
	return -1
}

// fill puts what a query says into slots, and tells which are full. It reads
// names that stand in the table, each once, and nothing else.
func (s *slots) fill(texts *[maxSlots]string, raw string) (full uint64, ok bool) {
	for raw != "" {
		end := strings.IndexByte(raw, '=')
		if end < 0 {
			return 0, false
		}
		i := s.find(raw[:end]) // of a name with a "&" there is none
		if i < 0 || full&(1<<i) != 0 {
			return 0, false
		}
		value, rest, encoded := cutValue(raw[end+1:])
		if encoded {
			var err error
			if value, err = unescape(value); err != nil {
				return 0, false
			}
		}
		texts[i], full, raw = value, full|1<<i, rest
	}
	return full, true
}

// cutValue cuts a value off a query, and tells whether it is to be unescaped.
func cutValue(raw string) (value, rest string, encoded bool) {
	for i := range len(raw) {
		switch raw[i] {
		case '&':
			return raw[:i], raw[i+1:], encoded
		case '%', '+':
			encoded = true
		}
	}
	return raw, "", encoded
}

// usualArgs is how many parameters most calls have, with the defaults.
const usualArgs = 6

// quick is [Parse] for most reads. It gives nil for whatever it does not read,
// and for all that has a fault: then parse says what it is.
func (e *Endpoint) quick(method string, in Input) *Call {
	if e.Writes() || in.Body.kind != noNode {
		return nil
	}
	made := new(struct {
		Call
		room [usualArgs]Arg
	})
	c := &made.Call
	c.Endpoint, c.Method, c.Query = e, method, made.room[:0]
	if e.slots.path != nil {
		var fault *Fault
		if c.Item, fault = e.slots.path.item(in.Item); fault != nil {
			return nil
		}
	}
	if !e.slots.read(c, in.Query.raw) {
		return nil
	}
	return c
}

// read returns c what raw says, and reports whether it could.
func (s *slots) read(c *Call, raw string) bool {
	var texts [maxSlots]string
	full, ok := s.fill(&texts, raw)
	if !ok {
		return false
	}
	for left := full | s.defaults; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		param := s.params[i]
		text, given := param.Default, true
		if full&(1<<i) != 0 {
			var fault *Fault
			if text, given, fault = param.canonical(texts[i]); fault != nil {
				return false
			}
		}
		if given {
			c.Query = append(c.Query, Arg{Param: param, Text: text})
		}
		if param == &Language {
			c.Language = text
		}
	}
	if full&s.lifters != 0 {
		c.lift()
	}
	return full&s.times == 0 || !c.asksEpochs()
}

// canonical returns what text means to p, in a query.
func (p *Param) canonical(text string) (canonical string, given bool, fault *Fault) {
	if p.isCanonical(text) {
		return text, true, nil
	}
	if set, ok := p.plainSet(text); ok {
		return set, true, nil
	}
	v, fault := p.normalize(&Node{kind: rawText, text: text})
	if fault == nil && !v.given() {
		return p.Default, p.Default != "", nil
	}
	return v.text, true, fault
}

// isCanonical reports whether s is at first sight what p would make of it.
func (p *Param) isCanonical(s string) bool {
	switch p.Kind {
	case Text:
		return s != "" && p.Enum == nil && len(s) <= p.Limit() && isPlain(s)
	case Integer:
		return p.isCanonicalInteger(s)
	case DateTime:
		return dates.IsCanonical(s)
	}
	return false
}

func (p *Param) isCanonicalInteger(s string) bool {
	if len(s) == 0 || len(s) > 9 || s[0] < '1' || s[0] > '9' {
		return false
	}
	x, err := strconv.Atoi(s)
	return err == nil && (p.Cap == 0 || x <= p.Cap) && p.bounds(float64(x)) == nil
}
