package mapping

import "bytes"

// JSON may write a slash as \/, and PHP does; it writes an ampersand as \u0026 where
// a site wants that, and any character may be written so. Strings are compared
// without these escapes, and what replaces one has its slashes written as they were.

// unescaped gives s with plain ASCII, but for the quotes, backslashes and controls
// that JSON must escape. It is good until the next call. escaped reports whether a
// slash of s was escaped.
func (w *walker) unescaped(s []byte) (plain []byte, escaped bool) {
	escape := bytes.IndexByte(s, '\\')
	if escape < 0 {
		return s, false
	}
	w.plain = w.plain[:0]
	for ; escape >= 0; escape = bytes.IndexByte(s, '\\') {
		w.plain = append(w.plain, s[:escape]...)
		s = s[escape:]
		c, n := character(s)
		if c == 0 {
			w.plain = append(w.plain, s[:n]...)
		} else {
			w.plain = append(w.plain, c)
		}
		escaped = escaped || c == '/'
		s = s[n:]
	}
	w.plain = append(w.plain, s...)
	return w.plain, escaped
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

// character gives the byte that s, the inside of a JSON string, begins with, and how
// many bytes of s stand for it. c is 0 for an escape that has to stay.
func character(s []byte) (c byte, n int) {
	switch {
	case s[0] != '\\' || len(s) == 1:
		return s[0], 1
	case s[1] == '/':
		return '/', 2
	case s[1] != 'u':
		return 0, 2
	}
	r, _ := hex4(s) // the scanner has read it
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return 0, min(6, len(s))
	}
	return byte(r), 6
}

// samePage compares two URLs as JSON has them. WordPress escapes an ampersand in
// one place and not in another.
func samePage(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, n := pageCharacter(a)
		y, m := pageCharacter(b)
		if x != y || x == 0 && !bytes.Equal(a[:n], b[:m]) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}

// pageCharacter is character, of what may have its ampersands as in HTML.
func pageCharacter(s []byte) (c byte, n int) {
	c, n = character(s)
	if c == '&' {
		for _, rest := range [...]string{"amp;", "#038;"} {
			if bytes.HasPrefix(s[n:], []byte(rest)) {
				return c, n + len(rest)
			}
		}
	}
	return c, n
}
