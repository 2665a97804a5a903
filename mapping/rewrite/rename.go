package rewrite

import (
	"bytes"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// rename returns the namespace and the language parameter their neutral names in an
// error.
func (r *Rewriter) rename(body []byte) []byte {
	for _, slash := range []string{"/", `\/`, "%2F", "%2f"} {
		spelled := func(place string) string { return strings.ReplaceAll(place, "/", slash) }
		body = renameWord(body, spelled(r.backend.Place()), spelled(mapping.Namespace))
	}
	theirs := r.backend.LanguageParam
	switch {
	case theirs == "" || theirs == mapping.Language.Name:
		return body
	case strings.Contains(theirs, "_"): // may have the vendor's name, and no text is written so
		return renameWord(body, theirs, mapping.Language.Name)
	}
	return renameParam(body, theirs, mapping.Language.Name)
}

// renameWord replaces from wherever it is a whole word.
func renameWord(body []byte, from, to string) []byte {
	if from == "" || from == to {
		return body
	}
	var out []byte
	copied := 0
	for _, at := range wordsIn(body, from) {
		out = append(append(out, body[copied:at]...), to...)
		copied = at + len(from)
	}
	return append(out, body[copied:]...)
}

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
