package mapping

import "bytes"

// JSON may write a slash as \/, and PHP does. Strings are compared without the
// backslashes, and what replaces one is written as it was.

// unescaped gives s with plain slashes, good until the next call.
func (w *walker) unescaped(s []byte) (plain []byte, escaped bool) {
	if !bytes.Contains(s, []byte(`\/`)) {
		return s, false
	}
	w.plain = w.plain[:0]
	for i, c := range s {
		if c != '\\' || i+1 == len(s) || s[i+1] != '/' {
			w.plain = append(w.plain, c)
		}
	}
	return w.plain, true
}

func appendEscaped(dst, s []byte) []byte {
	for _, c := range s {
		if c == '/' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst
}

// samePage compares two URLs as JSON has them. WordPress escapes an ampersand in
// one place and not in another.
func samePage(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, n := character(a)
		y, m := character(b)
		if x != y {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}

// character gives what s begins with, and how many bytes that takes.
func character(s []byte) (c byte, n int) {
	for _, escape := range [...]string{`/\/`, "&&amp;", "&&#038;"} {
		if bytes.HasPrefix(s, []byte(escape[1:])) {
			return escape[0], len(escape) - 1
		}
	}
	return s[0], 1
}
