package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// unfinished begins the names of files that are being written.
const unfinished = ".tmp-"

// openDir prepares the directory, which also shows that it is writable.
func (r *Recorder) openDir(site *Site) error {
	dir := r.options.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	before, err := load(dir, r.options.Checked)
	switch {
	case errors.Is(err, errNoRecording):
		if err := checkEmpty(dir); err != nil {
			return err
		}
	case err != nil:
		return err
	case !sameBackends(before.site.Backends, site.Backends):
		return fmt.Errorf("%s is a recording of other backends: its %s lists them", dir, siteFile)
	default:
		site.Made, site.Program = before.site.Made, before.site.Program
		r.calls, r.bytes = before.calls, before.bytes
	}
	err = os.Chmod(dir, 0o700) // #nosec G302 -- a directory
	if err != nil {
		return err
	}
	if err := removeUnfinished(dir); err != nil {
		return err
	}
	data, err := encodeReadably(site)
	if err != nil {
		return err
	}
	return r.replace(siteFile, data)
}

// checkEmpty refuses a directory that holds other files. Like [load], it ignores names that
// begin with a dot.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s is not empty and not a recording", dir)
		}
	}
	return nil
}

// removeUnfinished removes files that a process was writing when it ended.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// sameBackends compares what the file would hold: nil and empty lists are equal.
func sameBackends(a, b []Backend) bool {
	one, err := encodeReadably(a)
	if err != nil {
		return false
	}
	other, err := encodeReadably(b)
	return err == nil && bytes.Equal(one, other)
}

// path returns the path of a file of the recording.
func (r *Recorder) path(name string) string {
	return filepath.Join(r.options.Dir, filepath.FromSlash(name))
}

// replace writes a complete file, or leaves the previous one.
func (r *Recorder) replace(name string, data []byte) (err error) {
	file := r.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.options.Dir, unfinished+"*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the cause is in err
	}
	return err
}

// exchange is a file of a recording: a call and its response. The body is in one of three
// forms; each preserves it byte for byte.
type exchange struct {
	call

	Status     int         `json:"status"`
	SetsCookie bool        `json:"sets_cookie,omitempty"` // the response is not cacheable
	Header     http.Header `json:"header,omitempty"`

	Body       json.RawMessage `json:"body,omitempty"`        // JSON without white space between tokens
	BodyText   string          `json:"body_text,omitempty"`   // other text
	BodyBase64 []byte          `json:"body_base64,omitempty"` // anything else
}

// storedFields are the header fields that the proxy reads. It reads Date too, to compare
// two clocks, which a recording cannot reproduce.
var storedFields = []string{
	"Allow", "Cache-Control", "Content-Type", "Expires", "Location", "Retry-After", "Www-Authenticate",
	"X-Tec-Total", "X-Tec-Totalpages", "X-Wp-Total", "X-Wp-Totalpages",
}

func (e *exchange) setHead(status int, h http.Header) {
	e.Status = status
	e.SetsCookie = len(h.Values("Set-Cookie")) > 0
	e.Header = http.Header{}
	for _, name := range storedFields {
		if values := h.Values(name); len(values) > 0 {
			e.Header[name] = slices.Clone(values)
		}
	}
	if e.Header.Get("Location") != "" {
		e.Header["Location"] = []string{upstream.RedirectTarget(h)} // its query may hold a secret
	}
}

func (e *exchange) setBody(body []byte) {
	var compact bytes.Buffer
	switch {
	case !utf8.Valid(body):
		e.BodyBase64 = body
	case json.Compact(&compact, body) == nil && bytes.Equal(compact.Bytes(), body) && !deeper(body, maxDepth):
		e.Body = body
		delete(e.Header, "Content-Type") // implied by the form of the body
	default:
		e.BodyText = string(body)
	}
}

func (e *exchange) bytes() []byte {
	switch {
	case e.Body != nil:
		return e.Body
	case e.BodyBase64 != nil:
		return e.BodyBase64
	}
	return []byte(e.BodyText)
}

// header returns the header fields of the response.
func (e *exchange) header() http.Header {
	h := e.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if e.SetsCookie {
		h["Set-Cookie"] = []string{""}
	}
	return h
}

// repeats reports whether the response contains a secret: as it is, URL-encoded, or in any
// spelling of JSON.
func (e *exchange) repeats(secrets []string) bool {
	texts := [][]byte{e.bytes(), jsonEscapes.ReplaceAllFunc(e.bytes(), unescapeJSON)}
	for _, values := range e.Header {
		texts = append(texts, []byte(strings.Join(values, "\n")))
	}
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			if slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(text, []byte(form)) }) {
				return true
			}
		}
	}
	return false
}

// jsonEscapes matches escapes that follow each other, such as a surrogate pair.
var jsonEscapes = regexp.MustCompile(`(?:\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+`)

func unescapeJSON(escapes []byte) []byte {
	var text string
	if json.Unmarshal(slices.Concat([]byte{'"'}, escapes, []byte{'"'}), &text) != nil {
		return escapes
	}
	return []byte(text)
}

// compact removes the white space between the tokens of a body; nil is none.
func compact(body *json.RawMessage) error {
	if *body == nil {
		return nil
	}
	var b bytes.Buffer
	err := json.Compact(&b, *body)
	*body = b.Bytes()
	return err
}

// decodeExchange reads a file. name is its path below the directory, which must be the path of
// its call. A response of JSON has white space between its tokens.
func decodeExchange(data []byte, name string, roots []knownRoot) (*exchange, error) {
	e := new(exchange)
	if err := decodeStrictly(data, e); err != nil {
		return nil, err
	}
	if err := compact(&e.Sent); err != nil {
		return nil, err
	}
	if e.file(roots) != name {
		return nil, errors.New("its name does not match the call in it, or " + siteFile + " does not list the root of the call")
	}
	if e.Status < 200 || e.Status > 599 {
		return nil, fmt.Errorf("%d is not the status of a response", e.Status)
	}
	for field := range e.Header {
		if !slices.Contains(storedFields, field) {
			return nil, fmt.Errorf("a recording has no header field %q", field)
		}
	}
	return e, nil
}

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
