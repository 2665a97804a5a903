package rewrite

import (
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
