package siteurl

import (
	"bytes"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// SamePage reports whether two URLs, as they are written in JSON strings, are equal. WordPress
// escapes ampersands inconsistently.
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

// pageCharacter is [jsonscan.Character], with the HTML entities of ampersands as one.
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
