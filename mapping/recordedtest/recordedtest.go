// Package recordedtest reads recordings of real sites, in tests. Each is a JSON file with a
// request and its response.
package recordedtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"unicode/utf16"
)

// Exchange is a recorded request with its response.
type Exchange struct {
	Request struct {
		Method  string
		Path    string // with the query
		Headers map[string]string
		Body    json.RawMessage // JSON, or a string with anything else
	}
	Response struct {
		Status  int
		Headers map[string]any  // a string, or a list of them
		Body    json.RawMessage // likewise
		BodyRaw string          `json:"body_raw"` // byte for byte, if that was recorded
	}
}

// Read reads the exchange in a file.
func Read(t testing.TB, file string) (x Exchange) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &x); err != nil {
		t.Fatal(file, err)
	}
	return x
}

// Text returns a recorded body as it was sent: JSON as it is, a string as its text, null as
// nothing.
func Text(body json.RawMessage) []byte {
	var text string
	switch err := json.Unmarshal(body, &text); {
	case string(body) == "null":
		return nil
	case err == nil:
		return []byte(text)
	}
	return body
}

// Sent returns the body of the response, byte for byte if that was recorded, else as PHP
// encodes it.
func (x *Exchange) Sent() []byte {
	if x.Response.BodyRaw != "" {
		return []byte(x.Response.BodyRaw)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, Text(x.Response.Body)); err != nil {
		return Text(x.Response.Body) // not JSON, or nothing
	}
	var out []byte
	for _, c := range compact.String() {
		switch {
		case c == '/':
			out = append(out, `\/`...)
		case c > 0xffff:
			hi, lo := utf16.EncodeRune(c)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		case c > 0x7e:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, byte(c))
		}
	}
	return out
}
