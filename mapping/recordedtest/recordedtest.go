// Package recordedtest reads recordings of real sites, in tests. Each is a JSON file with a
// request and its response.
//
// The recordings are in mapping/testdata/recordings, one directory for each part, with an archive
// for each resource, or for a kind of site such as "plain". The archives have a file for each
// exchange: language/name.json.
//
// The recordings are distilled, see the command distil. Texts that WordPress and its plugins wrote are marks
// such as "text-3fa2c1d0", equal for equal texts. Where such a text is equal to a text of this
// project's catalogs, the recording has a reference to the latter, which [Read] resolves.
package recordedtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/calfacade/calfacade/i18n"
)

// Exchange is a recorded request with its response.
type Exchange struct {
	Name    string `json:"name"` // the last part of [Name]
	As      string `json:"as"`   // the user, or "anonymous"
	Note    string `json:"note"` // the site's content, if that matters
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"` // with the query
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"` // JSON, or a string with anything else
	} `json:"request"`
	Response struct {
		Status  int             `json:"status"`
		Headers map[string]any  `json:"headers"`            // a string, or a list of them
		Body    json.RawMessage `json:"body"`               // likewise
		BodyRaw string          `json:"body_raw,omitempty"` // byte for byte, if that was recorded
	} `json:"response"`
}

// archives returns the recordings by file, such as "2/events/en/list-3.json".
var archives = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for { // up to the directory that has go.mod
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "mapping", "testdata", "recordings", "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no recordings in %s", dir)
	}
	recordings := map[string][]byte{}
	for _, file := range paths {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		prefix := path.Join(filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".txtar"))
		for _, f := range archive.Files {
			recordings[path.Join(prefix, f.Name)] = f.Data
		}
	}
	return recordings, nil
})

// Files returns the recordings of all parts with a [Name] that matches one of the patterns of
// [path.Match], part by part and sorted. A pattern without a match fails the test.
func Files(t testing.TB, patterns ...string) (files []string) {
	t.Helper()
	recordings, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range patterns {
		before := len(files)
		for file := range recordings {
			if ok, err := path.Match("*/"+pattern+".json", file); err != nil {
				t.Fatal(err)
			} else if ok {
				files = append(files, file)
			}
		}
		if len(files) == before {
			t.Fatalf("no recording %s", pattern)
		}
		slices.Sort(files[before:])
	}
	return files
}

// Part returns the number of the part that a recording is of.
func Part(file string) string {
	part, _, _ := strings.Cut(file, "/")
	return part
}

// Name returns the path of a recording below the part, without the extension, such as
// "events/en/list-3".
func Name(file string) string {
	elements := strings.Split(strings.TrimSuffix(filepath.ToSlash(file), ".json"), "/")
	return strings.Join(elements[max(len(elements)-3, 0):], "/")
}

// Kind returns the resource of a recording, or the kind of the recorded site.
func Kind(file string) string {
	kind, _, _ := strings.Cut(Name(file), "/")
	return kind
}

// Read reads the exchange in a file.
func Read(t testing.TB, file string) (x Exchange) {
	t.Helper()
	recordings, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(recordings[file], &x); err != nil {
		t.Fatal(file, err)
	}
	x.resolve()
	return x
}

// reference is a reference to a text of the catalogs: language, key, and the values of the placeholders.
var reference = regexp.MustCompile(`\{\{([a-z]{2}) ([a-z_.]+)((?:\|\w+=[^|}"]*)*)\}\}`)

// resolve replaces the references to texts of the catalogs.
func (x *Exchange) resolve() {
	var text string
	if json.Unmarshal(x.Response.Body, &text) == nil && text != "" {
		x.Response.Body, _ = json.Marshal(resolved(text, Quote))
	} else {
		x.Response.Body = json.RawMessage(resolved(string(x.Response.Body), jsonQuote))
	}
	x.Response.BodyRaw = resolved(x.Response.BodyRaw, Quote)
}

// resolved returns JSON, which other text may surround, with the references resolved.
func resolved(body string, quote func(string) string) string {
	return reference.ReplaceAllStringFunc(body, func(s string) string {
		parts := reference.FindStringSubmatch(s)
		values := map[string]string{}
		for _, pair := range strings.Split(parts[3], "|")[1:] {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		quoted := quote(i18n.Catalog(parts[1]).Text(parts[2], values))
		return quoted[1 : len(quoted)-1]
	})
}

func jsonQuote(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(quoted)
}

// Quote returns a text as PHP encodes it in JSON.
func Quote(text string) string { return string(likePHP(jsonQuote(text))) }

var mark = regexp.MustCompile(`\btext-[0-9a-f]{8}`)

// WithMarks returns decoded JSON with the recorded text wherever that is marked, so that the two can
// be compared but for the texts that the recording lacks.
func WithMarks(recorded, other any) any {
	switch other := other.(type) {
	case map[string]any:
		was, _ := recorded.(map[string]any)
		marked := map[string]any{}
		for name, value := range other {
			marked[name] = WithMarks(was[name], value)
		}
		return marked
	case []any:
		was, _ := recorded.([]any)
		marked := slices.Clone(other)
		for i := range min(len(was), len(other)) {
			marked[i] = WithMarks(was[i], other[i])
		}
		return marked
	case string:
		if was, _ := recorded.(string); mark.MatchString(was) {
			return was
		}
	}
	return other
}

// Text returns a recorded body as sent: JSON unchanged, a string as its text, null as
// nothing.
func Text(body json.RawMessage) []byte {
	var text string
	err := json.Unmarshal(body, &text)
	switch {
	case string(body) == "null":
		return nil
	case err == nil:
		return []byte(text)
	}
	return body
}

// Sent returns the body of the response, byte for byte if that was recorded, else in
// PHP's encoding.
func (x *Exchange) Sent() []byte {
	if x.Response.BodyRaw != "" {
		return []byte(x.Response.BodyRaw)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, Text(x.Response.Body)); err != nil {
		return Text(x.Response.Body) // not JSON, or nothing
	}
	return likePHP(compact.String())
}

// likePHP returns JSON with the escapes that PHP writes.
func likePHP(doc string) []byte {
	var out []byte
	for _, c := range doc {
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
