package siteurl

import "bytes"

// ands are the spellings of the & between the parameters of a link: as in HTML, and
// as it is.
var ands = [...][]byte{[]byte("&amp;"), []byte("&#038;"), []byte("&")}

// EditQuery gives a link with each parameter of its query, "name=value", as edit has
// it. One that edit gives nil for is left out. s is not changed.
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

// cutPair parts the first parameter from the others, and gives what stands between.
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
	panic("BUG: an ampersand is none")
}
