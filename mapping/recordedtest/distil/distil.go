package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// distiller distils recordings.
type distiller struct {
	words   map[string]bool   // of seeded content
	unknown map[string]string // texts that are neither seeded nor marked, with their place and the words that are not seeded
	current *source
	schema  bool // the response describes the interface
}

func newDistiller() *distiller {
	d := &distiller{words: map[string]bool{}, unknown: map[string]string{}}
	d.learn(seededWords)
	return d
}

var (
	word   = regexp.MustCompile(`[\p{L}\p{M}]+`)
	noText = regexp.MustCompile(`<[^>]*>|&#?\w+;|https?://\S+`)
)

// learn makes the words of a text seeded.
func (d *distiller) learn(text string) {
	for _, w := range word.FindAllString(strings.ToLower(text), -1) {
		d.words[w] = true
	}
}

// learnRequest makes the words of a request seeded: the response repeats the values.
func (d *distiller) learnRequest(s source) {
	path, _ := url.QueryUnescape(s.exchange.Request.Path)
	d.learn(path)
	body := s.exchange.Request.Body
	_, _ = rewriteTexts(body, nil, func(_ []string, text string) string {
		d.learn(text)
		return text
	})
}

// strange returns the words of a text that are not seeded.
func (d *distiller) strange(text string) []string {
	plain := noText.ReplaceAllString(html.UnescapeString(strings.ReplaceAll(text, `\n`, " ")), " ")
	found := word.FindAllString(strings.ToLower(html.UnescapeString(plain)), -1)
	return slices.DeleteFunc(found, func(w string) bool { return d.words[w] })
}

// exchange returns a recording with marked texts.
func (d *distiller) exchange(s source) ([]byte, error) {
	d.current = &s
	kind := recordedtest.Kind(s.name)
	d.schema = s.exchange.Request.Method == http.MethodOptions || kind == "index" || kind == "doc" ||
		bytes.HasPrefix(s.exchange.Response.Body, []byte(`{`)) && jsonscan.Get(s.exchange.Response.Body, "openapi") != nil
	return rewriteTexts(s.data, plainQuote, func(path []string, text string) string {
		switch {
		case len(path) == 1 || path[0] != "response" || path[1] == "headers":
			return text
		case len(path) == 2: // the body is no JSON, or is raw
			return d.body(text)
		}
		return d.text(path[2:], text)
	})
}

var (
	// siteNames are members with texts of the site; all members of siteObjects have texts of the site.
	siteNames   = []string{"message", "details", "error", "data", "summary", "trace"}
	siteObjects = []string{"params", "details"}
	// schemaNames are the members with texts in a description of the interface, and schemaObjects hold such a description.
	schemaNames   = []string{"description", "title", "summary", "example"}
	schemaObjects = []string{"args", "schema", "schemas", "paths", "components", "routes", "properties"}
	// siteTexts are texts of the site in fields with content.
	siteTexts = []string{"All day", "Password protected"}
)

// text returns a text of a JSON response unchanged, as a reference to an equal text of the catalogs, or as marks.
func (d *distiller) text(path []string, text string) string {
	name := path[len(path)-1]
	isPart := func(name string) bool { return slices.Contains(schemaObjects, name) }
	isSite := slices.Contains(siteNames, name) || slices.ContainsFunc(path, func(s string) bool { return slices.Contains(siteObjects, s) })
	isSchema := (d.schema && len(path) > 1 || slices.ContainsFunc(path, isPart)) && (slices.Contains(schemaNames, name) || isProse(text))
	switch {
	case isSite:
		if reference := catalogReference(text); reference != "" {
			return reference
		}
		return markProse(text, path)
	case name == "json_error_message": // PHP's
	case isSchema, slices.Contains(siteTexts, text):
		return markProse(text, nil)
	case strings.Contains(text, ";base64,"):
		return base64Data.ReplaceAllStringFunc(text, func(s string) string { return ";base64," + mark(s) })
	case isProse(text):
		if words := d.strange(text); len(words) > 0 {
			d.unknown[text] = fmt.Sprintf("%s: %s: %q", d.current.name, strings.Join(path, "."), words)
		}
	}
	return text
}

var base64Data = regexp.MustCompile(`;base64,[A-Za-z0-9+/=]{40,}`)

// isProse reports whether a text has several words: a word alone is a name.
func isProse(text string) bool { return strings.ContainsAny(strings.TrimSpace(text), " \t\n\u00a0") }

// body returns a body that is no JSON, or JSON as sent, perhaps among other text.
func (d *distiller) body(text string) string {
	if strings.Contains(text[:min(200, len(text))], "<html") {
		return markPage(text)
	}
	if page := strings.Index(text, "<!DOCTYPE html>"); page > 0 && isMessageOfPHP(text) {
		return text[:page] + markPage(text[page:])
	}
	for i, c := range text {
		if c != '{' && c != '[' {
			continue
		}
		value, err := jsontext.NewDecoder(strings.NewReader(text[i:])).ReadValue()
		if err != nil || len(value) < len("{closure}") {
			continue
		}
		end := i + len(value)
		doc, err := rewriteTexts(value, recordedtest.Quote, func(path []string, text string) string { return d.text(path, text) })
		if err != nil {
			panic("BUG: " + err.Error())
		}
		return around(text[:i]) + string(doc) + around(text[end:])
	}
	return around(text)
}

// around returns a text around JSON, with marks. A message of PHP is not the site's.
func around(text string) string {
	if isMessageOfPHP(text) {
		return text
	}
	return markProse(text, nil)
}

// isMessageOfPHP reports whether a text begins with a message of PHP.
func isMessageOfPHP(text string) bool { return strings.HasPrefix(text, "<br />\n<b>") }

// rewriteTexts replaces the strings of JSON that are no names. path has the names of the members that lead to one. Everything
// else stays byte for byte.
func rewriteTexts(doc []byte, quote func(string) string, replace func(path []string, text string) string) ([]byte, error) {
	var out []byte
	d := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	copied := 0
	for {
		if d.PeekKind() != '"' {
			if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
				return append(out, doc[copied:]...), nil
			} else if err != nil {
				return nil, err
			}
			continue
		}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if kind, n := d.StackIndex(d.StackDepth()); kind == '{' && n%2 == 1 {
			continue // a name
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		if replaced := replace(namesOf(d.StackPointer()), text); replaced != text {
			end := int(d.InputOffset())
			out = append(append(out, doc[copied:end-len(raw)]...), quote(replaced)...)
			copied = end
		}
	}
}

// namesOf returns the members of a pointer, without the numbers of elements.
func namesOf(p jsontext.Pointer) []string {
	var names []string
	for token := range p.Tokens() {
		if strings.Trim(token, "0123456789") != "" || token == "" {
			names = append(names, token)
		}
	}
	return append(names, "")[:max(len(names), 1)]
}

// plainQuote returns a JSON string as the recordings have them.
func plainQuote(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(quoted)
}
