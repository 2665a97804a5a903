package siteurl

import "bytes"

// ands are the separators of parameters in a link: as HTML entities, and plain.
var ands = [...][]byte{[]byte("&amp;"), []byte("&#038;"), []byte("&")}

// EditQuery returns a link with each parameter of its query, "name=value", replaced by what
// edit returns; nil removes it. It does not change s.
func EditQuery(s []byte, edit func(pair []byte) []byte) []byte {
	path, query, found := bytes.Cut(s, []byte("?"))
	if !found {
		return s
	}
	out := path[:len(path):len(path)]
	before := []byte("?")
	for more := true; more; {
		var pair, and []byte
		pair, and, query, more = cutPair(query)
		if pair = edit(pair); pair == nil {
			continue
		}
		out = append(append(out, before...), pair...)
		before = and
	}
	return out
}

// cutPair cuts off the first parameter, and returns the separator after it.
func cutPair(query []byte) (pair, and, others []byte, more bool) {
	i := bytes.IndexByte(query, '&')
	if i < 0 {
		return query, nil, nil, false
	}
	for _, and := range ands {
		if others, ok := bytes.CutPrefix(query[i:], and); ok {
			return query[:i], and, others, true
		}
	}
	panic("BUG: no separator at an ampersand")
}
