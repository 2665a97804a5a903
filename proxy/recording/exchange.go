package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// exchange is a file of a recording: a call and its response. The body is in one of three
// forms; each preserves every byte.
type exchange struct {
	call

	Status     int         `json:"status"`
	SetsCookie bool        `json:"sets_cookie,omitempty"` // the response is not cacheable
	Header     http.Header `json:"header,omitempty"`

	Body       jsontext.Value `json:"body,omitempty"`        // JSON without white space between tokens
	BodyText   string         `json:"body_text,omitempty"`   // other text
	BodyBase64 []byte         `json:"body_base64,omitempty"` // anything else
}

// storedFields are the header fields that the proxy reads, except for Date. The proxy reads Date to compare
// two clocks, which a recording cannot reproduce.
var storedFields = []string{
	"Allow", "Cache-Control", "Content-Type", "Expires", "Location", "Retry-After", "Www-Authenticate",
	"X-Tec-Total", "X-Tec-Totalpages", "X-Wp-Total", "X-Wp-Totalpages",
}

func (e *exchange) setHead(status int, h http.Header) {
	e.Status = status
	e.SetsCookie = h.Values("Set-Cookie") != nil
	e.Header = http.Header{}
	for _, name := range storedFields {
		values := h.Values(name)
		if len(values) > 0 {
			e.Header[name] = slices.Clone(values)
		}
	}
	if e.Header.Get("Location") != "" {
		e.Header.Set("Location", upstream.BareURL(h.Get("Location"))) // the query may hold a secret
	}
}

func (e *exchange) setBody(body []byte) {
	compact := jsontext.Value(body).Clone()
	switch {
	case !utf8.Valid(body):
		e.BodyBase64 = body
	case compact.Compact() == nil && bytes.Equal(compact, body) && !deep(body):
		e.Body = body
		delete(e.Header, "Content-Type") // implied by the form of the body
	default:
		e.BodyText = string(body)
	}
}

// maxDepth is more than the depth of responses. A line of the file is indented by its
// depth: without a limit, 20 KB of brackets would become a file of 200 MB.
const maxDepth = 20

// deep reports whether JSON is nested deeper than maxDepth.
func deep(body []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for d.StackDepth() <= maxDepth {
		if _, err := d.ReadToken(); err != nil {
			return !errors.Is(err, io.EOF)
		}
	}
	return true
}

// response returns the recorded response to a request. The header of e belongs to the response from then on.
func (e *exchange) response(req *http.Request) *http.Response {
	if e.Header == nil {
		e.Header = http.Header{}
	}
	if e.SetsCookie {
		e.Header["Set-Cookie"] = []string{""}
	}
	body := slices.Concat(e.Body, e.BodyBase64, []byte(e.BodyText)) // one of them
	return &http.Response{
		StatusCode: e.Status, Header: e.Header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

// decodeExchange reads a file. name is the file's path below the directory, which must be the path of
// the call.
func decodeExchange(data []byte, name string, roots []knownRoot) (*exchange, error) {
	e := new(exchange)
	if err := decodeStrictly(data, e); err != nil {
		return nil, err
	}
	if e.Body != nil {
		_ = e.Body.Compact() // the body was read as JSON
	}
	if e.file(roots) != name {
		return nil, errors.New("its name does not match the call in it, or " + siteFile + " does not list the root of the call")
	}
	if e.Status < 200 || e.Status > 599 {
		return nil, fmt.Errorf("%d is not the status of a response", e.Status)
	}
	return e, nil
}
