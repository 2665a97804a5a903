package mapping

import (
	"bytes"
	"slices"
	"strings"
)

// rename gives the language parameter and the namespace their neutral names wherever
// an error names them as words: in the message, in params, in details. Errors hold no
// people's text.
func (r *Rewriter) rename(body []byte) []byte {
	body = renameWord(body, r.backend.LanguageParam, Language.Name)
	for _, slash := range []string{"/", `\/`, "%2F", "%2f"} {
		spelled := func(place string) string { return strings.ReplaceAll(place, "/", slash) }
		body = renameWord(body, spelled(r.backend.Place()), spelled(Namespace))
	}
	return body
}

func renameWord(body []byte, from, to string) []byte {
	if from == "" || from == to || !bytes.Contains(body, []byte(from)) {
		return body
	}
	parts := bytes.Split(body, []byte(from))
	out := slices.Clone(parts[0])
	for _, part := range parts[1:] {
		word := !endsInWord(out) && (len(part) == 0 || !isWord(part[0]))
		if word {
			out = append(out, to...)
		} else {
			out = append(out, from...)
		}
		out = append(out, part...)
	}
	return out
}

func endsInWord(b []byte) bool { return len(b) > 0 && isWord(b[len(b)-1]) }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
