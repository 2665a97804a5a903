package rewrite

import "bytes"

// wordsIn returns where name is a whole word in text.
func wordsIn(text []byte, name string) (found []int) {
	for at := 0; ; at += len(name) {
		next := bytes.Index(text[at:], []byte(name))
		if next < 0 {
			return found
		}
		at += next
		after := text[at+len(name):]
		if !endsInWord(text[:at]) && (len(after) == 0 || !isWord(after[0])) {
			found = append(found, at)
		}
	}
}

func endsInWord(b []byte) bool { return len(b) > 0 && isWord(b[len(b)-1]) }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
