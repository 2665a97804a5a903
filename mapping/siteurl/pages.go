package siteurl

import (
	"bytes"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// SamePage compares two URLs as JSON has them. WordPress escapes an ampersand in
// one place and not in another.
func SamePage(a, b []byte) bool {
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
	c, n = jsonscan.Character(s)
	if c == '&' {
		for _, rest := range [...]string{"amp;", "#038;"} {
			if bytes.HasPrefix(s[n:], []byte(rest)) {
				return c, n + len(rest)
			}
		}
	}
	return c, n
}
