package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Text reads the next string and returns it as it is written between the quotes.
//
// It compares eight bytes at a time: byte by byte BenchmarkRewrite/list takes 102 µs
// instead of 59.
func (s *Scanner) Text() []byte {
	src, start := s.Src, s.Pos+1
	s.Wide = false
	i := start
	for i < len(src) {
		if i+8 <= len(src) {
			found := special(binary.LittleEndian.Uint64(src[i:]))
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		n := 1
		switch c := src[i]; {
		case c == '"':
			s.Pos = i + 1
			return src[start:i]
		case c == '\\':
			if n = 2; i+1 == len(src) || !short[src[i+1]] { // saves a call for most escapes
				n = escapeLen(src[i:])
				s.Wide = true
			}
		case c >= utf8.RuneSelf:
			n = runeLen(src[i:])
		case c < ' ':
			n = 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	s.Pos = min(i, len(src))
	s.fail()
	return nil
}

// short has the bytes that follow the backslash of an escape of two bytes.
var short = [256]bool{'/': true, '"': true, '\\': true, 'n': true, 't': true, 'r': true, 'b': true, 'f': true}

// special sets the high bit of each byte of x that is '"', '\\', a control or not ASCII. It
// may set that of bytes above the lowest of them.
func special(x uint64) uint64 {
	const each = 0x0101010101010101
	quote, backslash := x^'"'*each, x^'\\'*each
	return (x | (x - ' '*each) | (quote - each) | (backslash - each)) & (0x80 * each)
}

// runeLen returns the length of the character that b begins with; 0 if it is invalid.
func runeLen(b []byte) int {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return n
}

// escapeLen returns the length of the escape that b begins with; 0 if it is invalid. The halves of
// a surrogate pair are two: an unpaired one is JSON.
func escapeLen(b []byte) int {
	if len(b) >= 2 && short[b[1]] {
		return 2
	}
	if _, ok := hex4(b); !ok {
		return 0
	}
	return 6
}

// hex4 reads the escape \uXXXX that b begins with.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
