package jsonscan

import (
	"bytes"
)

// Document returns the only JSON object or list in a response body that may have other text
// around it: a byte order mark, PHP's notices, the comment of a page cache (recordings
// broken/en/bom-*, notice-*). ok is false if there is none or more than one.
//
// A body that begins and ends like a document is returned unchanged, and not validated.
func Document(body []byte) (document []byte, ok bool) {
	if whole := bytes.TrimSpace(body); opens(whole, 0) && (whole[len(whole)-1] == '}' || whole[len(whole)-1] == ']') {
		return body, true
	}
	start := nextDocument(body, 0)
	if start < 0 {
		return nil, false
	}
	s := Scanner{Src: body, Pos: start}
	s.Skip()
	if s.bad || nextDocument(body, s.Pos) >= 0 {
		return nil, false
	}
	return body[start:s.Pos], true
}

// nextDocument returns the offset of the first possible document at or after pos; -1 if
// there is none.
func nextDocument(body []byte, pos int) int {
	for i := pos; i < len(body); i++ {
		if opens(body, i) {
			return i
		}
	}
	return -1
}

// opens reports whether an object begins at i, or a list that is empty or has an object
// first: backends send no other. A PHP stack trace has {closure} and [internal function], a
// log line [22-Nov-2026.
func opens(body []byte, i int) bool {
	if i >= len(body) || body[i] != '{' && body[i] != '[' {
		return false
	}
	s := Scanner{Src: body, Pos: i + 1}
	next := s.Peek()
	if body[i] == '{' {
		return next == '"' || next == '}'
	}
	return next == '{' || next == ']'
}
