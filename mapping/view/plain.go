package view

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Plain returns a text in HTML as people read it: entities are characters, links their text, and blocks and breaks
// line ends, in the way of innerText in browsers. changed is false for a text that is the same in both forms.
func Plain(source []byte) (text string, changed bool) {
	if isPlain(source) {
		return "", false
	}
	r := reader{tokens: html.NewTokenizer(bytes.NewReader(source))}
	for r.next() {
	}
	text = r.out.String()
	return text, text != string(source)
}

// isPlain reports whether a text is the same in both forms.
func isPlain(source []byte) bool {
	previous := ' '
	for _, c := range string(source) {
		if c == '<' || c == '&' || c == ' ' && previous == ' ' || unicode.IsControl(c) || c == utf8.RuneError {
			return false
		}
		previous = c
	}
	return previous != ' ' || len(source) == 0
}

// reader reads HTML, token by token: it makes no tree, whose depth the text would determine.
type reader struct {
	tokens *html.Tokenizer
	out    strings.Builder
	lines  int    // line ends before the next character
	gap    string // white space before the next character, which a line end replaces unless white space counts
	inPre  int    // open elements whose white space counts

	hidden atom.Atom // the open element that is not shown; 0: all are shown
	depth  int       // open elements with the name of hidden
}

// maxLines is the largest number of line ends in a row.
const maxLines = 2

// next reads a token, and reports whether there was one.
func (r *reader) next() bool {
	kind := r.tokens.Next()
	switch kind {
	case html.ErrorToken:
		return false
	case html.TextToken:
		if r.hidden == 0 {
			r.text(r.tokens.Text())
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, hasAttributes := r.tokens.TagName()
		r.open(atom.Lookup(name), hasAttributes)
	case html.EndTagToken:
		name, _ := r.tokens.TagName()
		r.close(atom.Lookup(name))
	case html.CommentToken, html.DoctypeToken:
	}
	return true
}

// blocks are the elements that begin and end a line, with the number of line ends: a paragraph has an empty line
// before and after it.
var blocks = map[atom.Atom]int{
	atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Blockquote: 2, atom.Figure: 2,
	atom.Pre: 2, atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Table: 2, atom.Hr: 2,
	atom.Address: 1, atom.Article: 1, atom.Aside: 1, atom.Caption: 1, atom.Center: 1, atom.Dd: 1, atom.Details: 1, atom.Div: 1,
	atom.Dt: 1, atom.Fieldset: 1, atom.Figcaption: 1, atom.Footer: 1, atom.Form: 1, atom.Header: 1, atom.Legend: 1, atom.Li: 1,
	atom.Main: 1, atom.Nav: 1, atom.Option: 1, atom.Section: 1, atom.Summary: 1, atom.Tr: 1,
}

// hiddenElements are the elements whose content browsers do not show.
var hiddenElements = map[atom.Atom]bool{
	atom.Audio: true, atom.Canvas: true, atom.Datalist: true, atom.Iframe: true, atom.Noembed: true, atom.Noframes: true,
	atom.Noscript: true, atom.Object: true, atom.Script: true, atom.Style: true, atom.Template: true, atom.Title: true,
	atom.Video: true,
}

// open reads a start tag. As in browsers a slash at its end means nothing.
func (r *reader) open(name atom.Atom, hasAttributes bool) {
	switch {
	case r.hidden != 0:
		if name == r.hidden {
			r.depth++
		}
	case hiddenElements[name]:
		r.hidden = name
		r.depth = 1
	case name == atom.Br:
		r.lineEnd()
	case name == atom.Td || name == atom.Th:
		r.gap = "\t"
	case name == atom.Img && hasAttributes:
		r.image()
	default:
		r.block(name)
		if name == atom.Pre {
			r.inPre++
		}
	}
}

// close reads an end tag.
func (r *reader) close(name atom.Atom) {
	if r.hidden != 0 {
		if name == r.hidden {
			r.depth--
		}
		if r.depth == 0 {
			r.hidden = 0
		}
		return
	}
	r.block(name)
	if name == atom.Pre && r.inPre > 0 {
		r.inPre--
	}
}

// block ends the line at the begin or the end of a block; other elements change nothing.
func (r *reader) block(name atom.Atom) { r.lines = max(r.lines, blocks[name]) }

func (r *reader) lineEnd() { r.lines = min(r.lines+1, max(r.lines, maxLines)) }

// image shows the text of an image that stands for an emoji, as WordPress makes them of characters.
func (r *reader) image() {
	var alt []byte
	isEmoji := false
	for more := true; more; {
		var name, value []byte
		name, value, more = r.tokens.TagAttr()
		switch string(name) {
		case "alt":
			alt = value
		case "class":
			isEmoji = isEmoji || bytes.Contains(value, []byte("emoji")) || bytes.Contains(value, []byte("wp-smiley"))
		}
	}
	if isEmoji {
		r.text(alt)
	}
}

// text writes the characters of a text. Control characters are not shown.
func (r *reader) text(text []byte) {
	for _, c := range string(text) {
		switch {
		case c == '\n' && r.inPre > 0:
			r.lineEnd()
			r.gap = ""
		case c == ' ' && r.inPre > 0:
			r.gap += " "
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			if r.gap == "" {
				r.gap = " "
			}
		case !unicode.IsControl(c):
			r.write(c)
		}
	}
}

// write writes a character, and the white space before it.
func (r *reader) write(c rune) {
	if r.out.Len() > 0 {
		r.out.WriteString(strings.Repeat("\n", r.lines))
		if r.lines == 0 || r.inPre > 0 {
			r.out.WriteString(r.gap)
		}
	}
	r.lines = 0
	r.gap = ""
	r.out.WriteRune(c)
}
