package rewrite

import (
	"bytes"
	"strconv"
	"unicode"
)

// wordsIn returns where name is a whole word in JSON.
func wordsIn(json []byte, name string) (found []int) {
	for at := 0; ; at += len(name) {
		next := bytes.Index(json[at:], []byte(name))
		if next < 0 {
			return found
		}
		at += next
		after := json[at+len(name):]
		if beginsWord(json, at) && (len(after) == 0 || !isWord(after[0])) {
			found = append(found, at)
		}
	}
}

// beginsWord reports whether a word may begin at a place in JSON: not within another, and not
// with the letter of an escape.
func beginsWord(json []byte, at int) bool {
	const hex = len("1234") // of \u1234
	switch {
	case opensEscape(json[:at]):
		return false
	case at > 0 && json[at-1] != 'u' && opensEscape(json[:at-1]): // \n, of which n is no letter
		return true
	case at > hex && json[at-hex-1] == 'u' && opensEscape(json[:at-hex-1]):
		c, err := strconv.ParseUint(string(json[at-hex:at]), 16, 16)
		return err == nil && (c > unicode.MaxASCII || !isWord(byte(c)))
	}
	return at == 0 || !isWord(json[at-1])
}

// opensEscape reports whether the last byte of JSON begins an escape.
func opensEscape(json []byte) bool {
	return (len(json)-len(bytes.TrimRight(json, `\`)))%2 == 1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
