package rewrite

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// moved returns s, the inside of a JSON string of the legacy with plain slashes, with links to the namespace at
// the public URLs of the roots.
func (a *answer) moved(class mapping.Class, s []byte) link {
	switch class {
	case mapping.Taxonomy:
		return link{tail: s}
	case mapping.Message:
		return link{tail: a.movedText(s)}
	}
	root, tail, ok := a.place(bytes.ReplaceAll(s, blank, noBlank), true)
	if !ok {
		return link{tail: s}
	}
	return a.linkTo(root, bytes.ReplaceAll(tail, noBlank, blank))
}

// A list's link to the same page has plain blanks (recording events/en/list-default), which end other links. No
// JSON string has the byte that replaces these blanks.
var blank, noBlank = []byte(" "), []byte{0}

// movedText returns a text of the legacy with the links to the namespace at the public URLs.
func (a *answer) movedText(s []byte) []byte {
	if !bytes.Contains(s, a.namespace) {
		return s
	}
	return replaceURLs(s, func(url []byte) (link, bool) { return a.public(url, false) })
}

// message returns a text of an error, the inside of a JSON string with plain slashes, with links to the REST
// interface in the form for clients. A link out of the namespace becomes the link to the namespace.
func (a *answer) message(s []byte) []byte {
	return replaceURLs(s, func(url []byte) (link, bool) {
		if l, ok := a.public(url, true); ok {
			return l, true
		}
		root, _, isREST := a.restLink(url)
		return a.linkTo(root, nil), isREST
	})
}

// replaceURLs returns a text with the links that replace returns for the URLs inside.
func replaceURLs(s []byte, replace func(url []byte) (l link, ok bool)) []byte {
	var out []byte
	for {
		span := urlInText.FindIndex(s)
		if span == nil {
			return append(out, s...)
		}
		start := span[0]
		end := span[0] + len(bytes.TrimRight(s[span[0]:span[1]], ".,;:!?)]}"))
		l, ok := replace(s[start:end])
		if !ok { // but the query may have a link
			end = bytes.Index(s, slashes) + len(slashes)
			out = append(out, s[:end]...)
		} else {
			out = append(out, s[:start]...)
			out = append(append(append(out, l.head...), l.tail...), l.naming...)
		}
		s = s[end:]
	}
}

var slashes = []byte("//")

// urlInText is a URL in a text, from the scheme, or the slashes after the scheme, to a blank, a quote, a
// bracket, or an escape that is no letter's.
var urlInText = regexp.MustCompile("(?s)(?:(?i:https?):)?//(?:\\\\u|[^ \"'<>`\\\\])*")

// rename returns an error with the client's names of the namespace, with slashes in any spelling, and of a
// language parameter with a name that is no word of a text. The facade sends the parameter only with configured
// values, so that no recorded error of a site concerns a name such as lang.
func (a *answer) rename(body []byte) []byte {
	site := a.backend.Dialect.Namespace
	client := a.names.Dialect.Namespace
	for _, slash := range []string{"/", `\/`, "%2F", "%2f"} {
		body = renameWord(body, strings.ReplaceAll(site, "/", slash), strings.ReplaceAll(client, "/", slash))
	}
	if theirs := a.backend.LanguageParam; strings.Contains(theirs, "_") { // another name may be a word of a text
		body = renameWord(body, theirs, a.names.LanguageParam)
	}
	return body
}

// renameWord replaces the whole word old in JSON. The n of \n is not a word.
func renameWord(body []byte, old, replacement string) []byte {
	if old == "" || old == replacement || !bytes.Contains(body, []byte(old)) {
		return body
	}
	words := regexp.MustCompile(`\\u[0-9A-Fa-f]{4}|` + regexp.QuoteMeta(old) + `\b|\\.|\w+`)
	return words.ReplaceAllFunc(body, func(word []byte) []byte {
		if string(word) == old {
			return []byte(replacement)
		}
		return word
	})
}
