package mapping

import (
	"bytes"
	"strings"
)

// message gives a text of an error, the inside of a JSON string whose slashes are
// plain, with the links to the REST interface in it as clients know them. One that
// leads out of the namespace becomes that to the namespace.
func (r *Rewriter) message(s []byte, at answering) []byte {
	var out []byte
	for {
		start, end := nextURL(s)
		if start < 0 {
			return append(out, s...)
		}
		out = append(out, s[:start]...)
		out = append(out, r.inMessage(s[start:end], at)...)
		s = s[end:]
	}
}

func (r *Rewriter) inMessage(url []byte, at answering) []byte {
	l, ok := r.mustNeutral(url, at)
	if root, _, isREST := r.restLink(url, at.root); !ok && isREST {
		l, ok = r.linkTo(root, nil, at), true
	}
	if !ok {
		return url
	}
	return bytes.Join([][]byte{l.head, l.rest, l.naming}, nil)
}

// nextURL finds the first URL in a text, from its scheme, or the slashes after that,
// to the blank, quote or bracket that ends it; start is -1 if there is none.
func nextURL(s []byte) (start, end int) {
	slashes := bytes.Index(s, []byte("//"))
	if slashes < 0 {
		return -1, 0
	}
	start = slashes
	if start > 0 && s[start-1] == ':' {
		for start--; start > 0 && isLetter(s[start-1]); {
			start--
		}
	}
	end = slashes
	for end < len(s) && !endsInText(s[end:]) {
		end++
	}
	return start, slashes + len(bytes.TrimRight(s[slashes:end], ".,;:!?)]}"))
}

// endsInText reports whether a URL does not go on in s: at a blank, a quote, a
// bracket, or an escape that is no letter's.
func endsInText(s []byte) bool {
	if s[0] == '\\' {
		return !bytes.HasPrefix(s, []byte(`\u`))
	}
	return strings.IndexByte(" \"'<>`", s[0]) >= 0
}
