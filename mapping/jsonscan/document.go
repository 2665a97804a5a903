package jsonscan

import "bytes"

// Document returns the one JSON object or list in an answer that may have other text
// around it: a byte order mark, PHP's notices, the comment of a page cache (recordings
// broken/en/bom-*, notice-*). ok is false if there is none, or if the text leaves open
// which one is meant.
//
// A body that begins and ends like a document is returned as it is: whoever reads it
// finds out whether it is one.
func Document(body []byte) (document []byte, ok bool) {
	if whole := bytes.TrimSpace(body); len(whole) > 0 && isOpening(whole[0]) && isClosing(whole[len(whole)-1]) && opens(whole, 0) {
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

// nextDocument returns where something from pos on looks like the beginning of a
// document; -1 if nothing does.
func nextDocument(body []byte, pos int) int {
	for i := pos; i < len(body); i++ {
		if isOpening(body[i]) && opens(body, i) {
			return i
		}
	}
	return -1
}

// opens reports whether what stands at i begins an object, or a list that is empty or
// has an object first: the backends answer with no other. A trace of PHP has {closure}
// and [internal function], a log [22-Nov-2026.
func opens(body []byte, i int) bool {
	s := Scanner{Src: body, Pos: i + 1}
	next := s.Peek()
	if body[i] == '{' {
		return next == '"' || next == '}'
	}
	return next == '{' || next == ']'
}

func isOpening(c byte) bool { return c == '{' || c == '[' }

func isClosing(c byte) bool { return c == '}' || c == ']' }
