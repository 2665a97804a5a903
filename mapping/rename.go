package mapping

import "bytes"

// renameParam gives the language parameter its neutral name wherever an error
// names it as a word: in the message, in params, in details. Errors hold no
// people's text.
func (r *Rewriter) renameParam(body []byte) []byte {
	name := r.backend.LanguageParam
	if name == "" || !bytes.Contains(body, []byte(name)) {
		return body
	}
	parts := bytes.Split(body, []byte(name))
	out := parts[0]
	for _, part := range parts[1:] {
		word := !endsInWord(out) && (len(part) == 0 || !isWord(part[0]))
		if word {
			out = append(out[:len(out):len(out)], Language.Name...)
		} else {
			out = append(out[:len(out):len(out)], name...)
		}
		out = append(out, part...)
	}
	return out
}

func endsInWord(b []byte) bool { return len(b) > 0 && isWord(b[len(b)-1]) }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
