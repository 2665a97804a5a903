package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNotUTF8  = errors.New("not UTF-8")
	errTrailing = errors.New("more than one JSON value")
)

// Scanner reads a JSON value in place with jsontext: one value in UTF-8, without trailing data. Names
// may be repeated, and surrogates unpaired, as some sites send them.
//
// After an error no method has an effect: callers check Err once, at the end, and may set it.
type Scanner struct {
	Src     []byte
	Err     error // the first error, without text of Src, which may hold secrets
	decoder *jsontext.Decoder
}

// NewScanner returns a scanner of src, which must not change while results of the scanner are in use.
func NewScanner(src []byte) *Scanner {
	text := bytes.NewBuffer(src) // which the decoder does not copy
	s := &Scanner{Src: src, decoder: jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if !utf8.Valid(src) { // the decoder does not distinguish other bytes from unpaired surrogates
		s.Err = errNotUTF8
	}
	return s
}

// Pos returns the offset after the last token read.
func (s *Scanner) Pos() int { return int(s.decoder.InputOffset()) }

// Depth returns the number of open lists and objects, which jsontext limits to 10,000.
func (s *Scanner) Depth() int { return s.decoder.StackDepth() }

// Peek returns the kind of the next value or bracket; 0 at the end, and after an error.
func (s *Scanner) Peek() jsontext.Kind {
	if s.Err != nil {
		return 0
	}
	return s.decoder.PeekKind()
}

// Value reads the next value and returns it as Src has it; nil after an error.
func (s *Scanner) Value() jsontext.Value {
	if s.Err != nil {
		return nil
	}
	v, err := s.decoder.ReadValue()
	s.setErr(err)
	return v
}

// Parts opens the next value, a list or an object, and yields the name of each member, and nil for each
// element. The loop has to read the value.
func (s *Scanner) Parts() iter.Seq[jsontext.Value] {
	return func(yield func(name jsontext.Value) bool) {
		isObject := s.Peek() == '{'
		s.bracket()
		for kind := s.Peek(); s.Err == nil && kind != '}' && kind != ']'; kind = s.Peek() {
			var name jsontext.Value
			if isObject {
				name = s.Value()
			}
			if !yield(name) {
				return
			}
		}
		s.bracket()
	}
}

func (s *Scanner) bracket() {
	if s.Err == nil {
		_, err := s.decoder.ReadToken()
		s.setErr(err)
	}
}

// End sets Err if a part of Src is unread, and returns Err.
func (s *Scanner) End() error {
	if _, err := s.decoder.ReadToken(); s.Err == nil && err != io.EOF {
		s.Err = errTrailing
	}
	return s.Err
}

// setErr sets Err to the error of a read; nil changes nothing.
func (s *Scanner) setErr(err error) {
	if err == nil {
		return
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok { // which quotes names
		err = fmt.Errorf("byte %d of %d", syntax.ByteOffset, len(s.Src))
	}
	s.Err = err
}

// opening matches the beginning of an object, or of a list that is empty or has an object first:
// backends send no other. A PHP stack trace has {closure} and [internal function], a log line
// [22-Nov-2026.
var opening = regexp.MustCompile(`\{[ \t\r\n]*["}]|\[[ \t\r\n]*[{\]]`)

// Document returns the only JSON object or list in a response body, which may have other text
// too: a byte order mark, PHP's notices, the comment of a page cache (recordings
// broken/en/bom-*, notice-*). ok is false for a body without a document, or with several.
//
// A body that begins and ends like a document is returned unchanged, and not validated.
func Document(body []byte) (document []byte, ok bool) {
	span := opening.FindIndex(body)
	if span == nil {
		return nil, false
	}
	prefix := bytes.TrimSpace(body[:span[0]])
	content := bytes.TrimSpace(body[span[0]:])
	last := content[len(content)-1]
	if len(prefix) == 0 && (last == '}' || last == ']') {
		return body, true
	}
	s := NewScanner(body[span[0]:])
	s.Err = nil // a notice may have any bytes
	document = s.Value()
	if s.Err != nil || opening.Match(s.Src[s.Pos():]) {
		return nil, false
	}
	return document, true
}
