package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// decodeStrictly reads one JSON value. v must have all of its members.
func decodeStrictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the value")
	}
	return nil
}

// encodeReadably writes JSON for people and for diff.
func encodeReadably(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// maxDepth is more than responses are nested. A line of the file is indented by its
// depth: without a limit, 20 KB of brackets would become a file of 200 MB.
const maxDepth = 20

// deeper reports whether JSON is nested deeper than limit.
func deeper(body []byte, limit int) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // accepts any number
	for depth := 0; depth <= limit; {
		token, err := d.Token()
		switch {
		case err != nil:
			return !errors.Is(err, io.EOF)
		case token == json.Delim('{'), token == json.Delim('['):
			depth++
		case token == json.Delim('}'), token == json.Delim(']'):
			depth--
		}
	}
	return true
}
