package jsonscan

import (
	"bytes"
	"strconv"
)

// JSON may escape a slash as \/, which PHP does, an ampersand as \u0026, and any other
// character likewise. Strings are compared without these escapes.

// Unescape returns the inside of a string with its escapes of printable ASCII
// resolved. Escapes of quotes, backslashes, controls and other characters stay. slashed
// reports whether a slash was escaped.
func Unescape(s []byte) (plain []byte, slashed bool) {
	return AppendUnescaped(make([]byte, 0, len(s)), s)
}

// AppendUnescaped is [Unescape], and appends to plain.
func AppendUnescaped(plain, s []byte) (appended []byte, slashed bool) {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(plain, s...), slashed
		}
		plain = append(plain, s[:i]...)
		s = s[i:]
		n := min(2, len(s))
		code := uint64(0) // 0 stays an escape
		switch {
		case n == 2 && s[1] == '/':
			code = '/'
		case len(s) >= 6 && s[1] == 'u':
			n = 6
			code, _ = strconv.ParseUint(string(s[2:n]), 16, 16)
		}
		if code < ' ' || code > '~' || code == '"' || code == '\\' {
			plain = append(plain, s[:n]...)
		} else {
			plain = append(plain, byte(code))
		}
		slashed = slashed || code == '/'
		s = s[n:]
	}
}
