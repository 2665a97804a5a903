package jsonscan

import (
	"bytes"
	"regexp"
)

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
