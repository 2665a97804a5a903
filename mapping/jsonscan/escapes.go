package jsonscan

import (
	"bytes"
	"strconv"
)

// JSON may escape a slash as \/, which PHP does, an ampersand as \u0026, and any other
// character likewise. Strings are compared without these escapes.

// AppendUnescaped appends to dst the inside of a string with its escapes of printable ASCII
// resolved. Escapes of quotes, backslashes, controls and other characters stay. slashed
// reports whether a slash was escaped.
func AppendUnescaped(dst, s []byte) (plain []byte, slashed bool) {
	for {
		at := bytes.IndexByte(s, '\\')
		if at < 0 {
			return append(dst, s...), slashed
		}
		dst, s = append(dst, s[:at]...), s[at:]
		n, code := 2, uint64(0) // 0 stays an escape
		switch s[1] {
		case '/':
			code = '/'
		case 'u':
			n = 6
			code, _ = strconv.ParseUint(string(s[2:n]), 16, 16)
		}
		if code < ' ' || code > '~' || code == '"' || code == '\\' {
			dst = append(dst, s[:n]...)
		} else {
			dst = append(dst, byte(code))
		}
		slashed = slashed || code == '/'
		s = s[n:]
	}
}
