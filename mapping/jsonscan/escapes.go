package jsonscan

import (
	"bytes"
	"strconv"
)

// short has the bytes that follow the backslash of an escape of two bytes.
var short = [256]bool{'/': true, '"': true, '\\': true, 'n': true, 't': true, 'r': true, 'b': true, 'f': true}

// hex4 reads the escape \uXXXX that b begins with; ok is false if it begins with none.
func hex4(b []byte) (code uint64, ok bool) {
	if len(b) < 6 || b[1] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return code, err == nil
}

// AppendUnescaped appends to dst the inside of a string with its escapes of printable ASCII
// resolved. Escapes of quotes, backslashes, controls and other characters stay. slashed
// reports whether a slash was escaped.
func AppendUnescaped(dst, s []byte) (plain []byte, slashed bool) {
	for {
		escape := bytes.IndexByte(s, '\\')
		if escape < 0 {
			return append(dst, s...), slashed
		}
		dst, s = append(dst, s[:escape]...), s[escape:]
		c, n := byte(0), min(2, len(s)) // 0 stays an escape
		switch code, ok := hex4(s); {
		case n == 2 && s[1] == '/':
			c = '/'
		case ok && (code < ' ' || code > '~' || code == '"' || code == '\\'):
			n = 6
		case ok:
			c, n = byte(code), 6
		}
		if c == 0 {
			dst = append(dst, s[:n]...)
		} else {
			dst = append(dst, c)
		}
		slashed = slashed || c == '/'
		s = s[n:]
	}
}
