package recording

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// bodyName is the member that has most of a file.
const bodyName = "body"

// headOf returns a file without the body of the response, which is checked to be JSON and no
// more: to read it takes most of the time that a check takes. It is nil if it cannot decide whether
// the file is valid.
func headOf(data []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := d.ReadToken(); err != nil || token.Kind() != jsontext.KindBeginObject {
		return nil
	}
	head := []byte{'{'}
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if string(name) == `"`+bodyName+`"` {
			if err := d.SkipValue(); err != nil {
				return nil
			}
			continue
		}
		if len(head) > 1 {
			head = append(head, ',')
		}
		head = append(append(head, name...), ':')
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		head = append(head, value...)
	}
	if _, err := d.ReadToken(); err != nil || d.PeekKind() != jsontext.KindInvalid || len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return nil
	}
	return append(head, '}')
}

// checkExchange checks a file as [decodeExchange] does.
func checkExchange(data []byte, name string, roots []knownRoot) error {
	if head := headOf(data); head != nil {
		if _, err := decodeExchange(head, name, roots); err == nil {
			return nil
		}
	}
	_, err := decodeExchange(data, name, roots) // which explains what is wrong
	return err
}
