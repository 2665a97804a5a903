package mapping

import (
	"math"
	"strconv"
	"strings"
)

func (p *Param) integer(n *Node) (value, *Fault) {
	if n.kind == jsonBoolean {
		return value{}, p.wrongType("integer")
	}
	i, ok := parseWhole(n.text)
	if !ok {
		return value{}, p.Fault(CodeInvalid, "integer")
	}
	if p.Cap > 0 {
		i = min(i, int64(p.Cap))
	}
	return p.bounded(float64(i), strconv.FormatInt(i, 10))
}

// maxWhole is the limit up to which every whole number is a floating-point number.
const maxWhole = 1 << 53

// parseWhole reads a whole number in the forms that PHP accepts in queries, forms and the texts of JSON: with
// blanks around, a fraction of zeros or an exponent, such as " 1", "2.0", "1e1".
func parseWhole(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	i, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 64)
	if err == nil {
		return i, !strings.HasPrefix(s, "+-")
	}
	x, ok := decimal(s)
	return int64(x), ok && x == math.Trunc(x) && math.Abs(x) < maxWhole
}

// decimal reads a decimal number. ParseFloat reads more: hexadecimal, underscores,
// Inf, NaN.
func decimal(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !strings.ContainsAny(s, "xXpP_iInN") && !math.IsInf(x, 0)
}

func (p *Param) number(n *Node) (value, *Fault) {
	x, ok := decimal(n.text)
	if !ok {
		return value{}, p.Fault(CodeInvalid, "number")
	}
	if x == 0 {
		x = 0 // -0 is 0
	}
	return p.bounded(x, decimalText(x))
}

func decimalText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// bounded returns a number that text spells, if the number is within the bounds of p.
func (p *Param) bounded(x float64, text string) (value, *Fault) {
	switch {
	case p.Max != 0 && (x < p.Min || x > p.Max):
		return value{}, p.Fault(codeBounds, "between", "Min", decimalText(p.Min), "Max", decimalText(p.Max))
	case x < p.Min:
		return value{}, p.Fault(codeBounds, "min", "Min", decimalText(p.Min))
	}
	return value{text: text, json: text}, nil
}
