package rewrite

import (
	"bytes"
	"strconv"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// email rewrites the string at start, an address, to what its author wrote: WordPress writes
// each character as itself or as an entity, by chance, so that no two responses are alike.
func (w *walker) email(start int, s []byte) {
	plain, _ := w.unescaped(s)
	address, hidden := appendDecoded(nil, plain)
	if !hidden {
		return
	}
	w.splice(start)
	w.out = append(append(append(w.out, '"'), address...), '"')
}

// appendDecoded appends the inside of a JSON string with its decimal entities of ASCII letters,
// digits and signs as these characters, and reports whether it has any.
func appendDecoded(dst, s []byte) (decoded []byte, some bool) {
	for len(s) > 0 {
		c, n := entity(s)
		switch {
		case n == 0:
			c, n = s[0], 1
		case c == '"' || c == '\\':
			some, dst = true, append(dst, '\\')
		default:
			some = true
		}
		dst, s = append(dst, c), s[n:]
	}
	return dst, some
}

// entity returns the printable ASCII character of the decimal entity that s begins with, and the
// length of the entity; 0 for none.
func entity(s []byte) (c byte, n int) {
	digits, isEntity := bytes.CutPrefix(s, []byte("&#"))
	end := bytes.IndexByte(digits[:min(len(digits), 4)], ';')
	if !isEntity || end < 1 || !jsonscan.IsIndex(digits[:end]) {
		return 0, 0
	}
	code, err := strconv.Atoi(string(digits[:end]))
	if err != nil || code <= ' ' || code > '~' {
		return 0, 0
	}
	return byte(code), len("&#;") + end
}
