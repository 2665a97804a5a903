package mapping

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a query as received. Its pairs are decoded when they are read.
type Query struct{ raw string }

// DecodeQuery accepts a raw query. The error is [ErrTooManyPairs]: Parse checks the
// pairs.
func DecodeQuery(raw string) (Query, error) {
	if len(raw) > 2*MaxPairs { // too many would need as much
		if _, err := DecodeForm(raw); err != nil {
			return Query{}, err
		}
	}
	return Query{raw: raw}, nil
}

func (q Query) tree() Node {
	n, err := DecodeForm(q.raw)
	if err != nil {
		panic("BUG: DecodeQuery has accepted this: " + err.Error())
	}
	return n
}

// about is the tree of the pairs of one parameter.
func (q Query) about(name string) Node {
	n := Node{kind: object}
	for pair := range strings.SplitSeq(q.raw, "&") {
		if isOf(pair, name) {
			n.insertPair(pair)
		}
	}
	return n
}

// NonceParam is the parameter that has the nonce of a request without the header X-WP-Nonce. It
// is a credential and not a parameter of any endpoint.
const NonceParam = "_wpnonce"

// Without is the query without the pairs of a parameter.
func (q Query) Without(name string) Query {
	pairs := strings.Split(q.raw, "&")
	rest := slices.DeleteFunc(pairs, func(pair string) bool { return isOf(pair, name) })
	return Query{raw: strings.Join(rest, "&")}
}

// isOf reports whether a pair is one of the parameter name, in any notation.
func isOf(pair, name string) bool {
	have, _, _ := strings.Cut(pair, "=")
	if !strings.HasPrefix(have, name) && !strings.ContainsAny(have, "%+") {
		return false
	}
	first, _, ok := splitName(unescape(have))
	return ok && first == name
}

// Dropped returns the names in a query that the table does not have for e, in their order and
// fit to be shown.
func (e *Endpoint) Dropped(query Query) []string { return e.unknown(query.tree()) }

func (e *Endpoint) unknown(n Node) []string {
	var names []string
	for _, name := range n.names {
		known := slices.ContainsFunc(e.Args(), func(param *Param) bool {
			return param.Name == name && param.In != InPath
		})
		if !known {
			names = append(names, printable(name))
		}
	}
	return names
}

// printable makes what a client chose as a name short and harmless enough to be
// sent back.
func printable(name string) string {
	const most = 64
	name = strings.Map(func(r rune) rune {
		if isControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	if r := []rune(name); len(r) > most {
		name = string(r[:most])
	}
	return name
}
