// Package recordedtest reads recordings of real sites, in tests. Each is a JSON file with a
// request and its response.
//
// The recordings have several parts, directories beside the checkout: shared/recordings,
// shared/recordings2 and so on, or for the first $RECORDINGS_DIR. Files below a
// part are resource/language/name.json; instead of a resource, some parts have the kind of a
// site, such as "plain".
package recordedtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// Exchange is a recorded request with its response.
type Exchange struct {
	Note    string // what the site had stored; "" for nothing of interest
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

// Parts returns the directories of the parts, in their order. It skips the test if
// there are none.
func Parts(t testing.TB) (parts []string) {
	t.Helper()
	parts, err := filepath.Glob(cmp.Or(os.Getenv("RECORDINGS_DIR"), pathBeside(t, "shared", "recordings")) + "*")
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) == 0 {
		t.Skip("no recordings of real sites beside the checkout")
	}
	return parts
}

// Files returns the recordings of all parts whose [Name] matches one of the patterns of
// [path.Match], part by part and sorted. It skips the test if there are no recordings, and fails it
// for a pattern without one.
func Files(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	parts := Parts(t)
	for _, pattern := range patterns {
		hasFiles := false
		for _, part := range parts {
			matches, err := filepath.Glob(filepath.Join(part, filepath.FromSlash(pattern)+".json"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, matches...)
			hasFiles = hasFiles || len(matches) > 0
		}
		if !hasFiles {
			t.Fatalf("no recording %s", pattern)
		}
	}
	return files
}

// pathBeside returns a path beside the checkout, the directory that has go.mod.
func pathBeside(t testing.TB, elements ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		dir = filepath.Dir(dir)
		if err == nil {
			break
		}
	}
	return filepath.Join(append([]string{dir}, elements...)...)
}

// Name returns the path of a recording below its part, without the extension, such as
// "events/en/list-3".
func Name(file string) string {
	elements := strings.Split(strings.TrimSuffix(filepath.ToSlash(file), ".json"), "/")
	return strings.Join(elements[len(elements)-3:], "/")
}

// Kind returns the resource of a recording, or the kind of its site.
func Kind(file string) string {
	kind, _, _ := strings.Cut(Name(file), "/")
	return kind
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
