package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/proxy/upstream"
)

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

// decodeExchange reads a file. name is its path below the directory, which must be that of
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
