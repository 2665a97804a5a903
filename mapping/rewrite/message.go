package rewrite

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// message returns a text of an error, the inside of a JSON string whose slashes are
// plain, with the links to the REST interface in it as clients know them. One that
// leads out of the namespace becomes that to the namespace.
func (r *Rewriter) message(s []byte, at answering) []byte {
	return replaceURLs(s, func(url []byte) (link, bool) { return r.inMessage(url, at) })
}

// replaceURLs returns a text with the links that replace returns for URLs in it.
func replaceURLs(s []byte, replace func(url []byte) (l link, ok bool)) []byte {
	var out []byte
	for {
		start, end := nextURL(s)
		if start < 0 {
			return append(out, s...)
		}
		l, ok := replace(s[start:end])
		if !ok { // but there may be one in its query
			end = bytes.Index(s, slashes) + len(slashes)
			out = append(out, s[:end]...)
		} else {
			out = append(out, s[:start]...)
			out = append(append(append(out, l.head...), l.rest...), l.naming...)
		}
		s = s[end:]
	}
}

func (r *Rewriter) inMessage(url []byte, at answering) (l link, isREST bool) {
	if l, isREST = r.mustNeutral(url, at); isREST {
		return l, true
	}
	root, _, isREST := r.restLink(url, at.root)
	return r.linkTo(root, nil, at), isREST
}

var slashes = []byte("//")

// nextURL finds the first URL in a text, from its scheme, or the slashes after that,
// to the blank, quote or bracket that ends it; start is -1 if there is none.
func nextURL(s []byte) (start, end int) {
	host := bytes.Index(s, slashes)
	if host < 0 {
		return -1, 0
	}
	start, end = host, host
	for _, scheme := range siteurl.Schemes {
		if begin := host + len(slashes) - len(scheme); begin >= 0 && siteurl.EqualFold(s[begin:host+len(slashes)], scheme) {
			start = min(start, begin)
		}
	}
	for end < len(s) && !endsInText(s[end:]) {
		end++
	}
	return start, host + len(bytes.TrimRight(s[host:end], ".,;:!?)]}"))
}

// endsInText reports whether a URL does not go on in s: at a blank, a quote, a
// bracket, or an escape that is no letter's.
func endsInText(s []byte) bool {
	if s[0] == '\\' {
		return !bytes.HasPrefix(s, []byte(`\u`))
	}
	return strings.IndexByte(" \"'<>`", s[0]) >= 0
}

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

// renameParam renames a parameter whose name may be a word of some language, such as
// lang, where an error of WordPress is about it:
//
//	{"message":"Invalid parameter(s): lang","data":{
//	  "params":{"lang":"lang is not one of en and es."},
//	  "details":{"lang":{"message":"lang is not one of en and es.","data":{"param":"lang"}}}}}
//
// All other text stays: in German a title is "zu lang", and some messages quote what a
// client sent.
func renameParam(body []byte, from, to string) []byte {
	if !bytes.Contains(body, []byte(from)) || !aboutParam(body, from) {
		return body
	}
	var out []byte
	copied := 0
	for d := jsonscan.NewDecoder(body); ; {
		if kind := d.PeekKind(); kind != '"' {
			if _, err := d.ReadToken(); err != nil { // the end: other bodies have been refused
				return append(out, body[copied:]...)
			}
			continue
		}
		text, err := d.ReadValue()
		if err != nil {
			return body
		}
		if at := paramIn(string(d.StackPointer()), text, from); at >= 0 {
			at += int(d.InputOffset()) - len(text)
			out = append(append(out, body[copied:at]...), to...)
			copied = at + len(from)
		}
	}
}

// aboutParam reports whether an error has a parameter among those at fault, by name or
// in the list of those that are missing.
func aboutParam(body []byte, name string) bool {
	data := jsonscan.Get(body, "data")
	params := jsonscan.Get(data, "params")
	if params.Kind() == '{' {
		return jsonscan.Get(params, name) != nil
	}
	return slices.ContainsFunc(jsonscan.AsList(params), func(v jsontext.Value) bool { return jsonscan.Text(v) == name })
}

// paramIn returns where the string at a place of an error about a parameter names that;
// -1 if it does not.
func paramIn(place string, text []byte, name string) int {
	found := wordsIn(text, name)
	if len(found) == 0 {
		return -1
	}
	missing, isMissing := strings.CutPrefix(place, "/data/params/")
	_, err := strconv.Atoi(missing)
	switch {
	case place == "/message": // ends with the names
		return found[len(found)-1]
	case isMissing && err == nil,
		place == "/data/params/"+name,
		place == "/data/details/"+name,
		place == "/data/details/"+name+"/message",
		place == "/data/details/"+name+"/data/param":
		return found[0]
	}
	return -1
}

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
	case at > 0 && json[at-1] != 'u' && opensEscape(json[:at-1]): // the n of \n is no letter
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
