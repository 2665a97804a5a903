package rewrite

import (
	"bytes"
	"strings"

	"github.com/calfacade/calfacade/mapping/siteurl"
)

// message returns a text of an error, the inside of a JSON string whose slashes are
// plain, with the links to the REST interface in it as clients know them. One that
// leads out of the namespace becomes that to the namespace.
func (r *Rewriter) message(s []byte, at answering) []byte {
	var out []byte
	for {
		start, end := nextURL(s)
		if start < 0 {
			return append(out, s...)
		}
		l, isREST := r.inMessage(s[start:end], at)
		if !isREST { // but there may be one in its query
			end = bytes.Index(s, slashes) + len(slashes)
			out = append(out, s[:end]...)
		} else {
			out = append(out, s[:start]...)
			out = append(append(append(out, l.head...), l.rest...), l.naming...)
		}
		s = s[end:]
	}
}

func (r *Rewriter) inMessage(url []byte, at answering) (l link, isREST bool) {
	if l, isREST = r.mustNeutral(url, at); isREST {
		return l, true
	}
	root, _, isREST := r.restLink(url, at.root)
	return r.linkTo(root, nil, at), isREST
}

var slashes = []byte("//")

// nextURL finds the first URL in a text, from its scheme, or the slashes after that,
// to the blank, quote or bracket that ends it; start is -1 if there is none.
func nextURL(s []byte) (start, end int) {
	host := bytes.Index(s, slashes)
	if host < 0 {
		return -1, 0
	}
	start, end = host, host
	for _, scheme := range siteurl.Schemes {
		if begin := host + len(slashes) - len(scheme); begin >= 0 && siteurl.EqualFold(s[begin:host+len(slashes)], scheme) {
			start = min(start, begin)
		}
	}
	for end < len(s) && !endsInText(s[end:]) {
		end++
	}
	return start, host + len(bytes.TrimRight(s[host:end], ".,;:!?)]}"))
}

// endsInText reports whether a URL does not go on in s: at a blank, a quote, a
// bracket, or an escape that is no letter's.
func endsInText(s []byte) bool {
	if s[0] == '\\' {
		return !bytes.HasPrefix(s, []byte(`\u`))
	}
	return strings.IndexByte(" \"'<>`", s[0]) >= 0
}
