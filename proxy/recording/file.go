package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/calfacade/calfacade/proxy/upstream"
)

// exchange is a file of a recording: a call, and the answer. The body stands in
// one of three forms, all of which give it back byte for byte.
type exchange struct {
	call

	Status     int         `json:"status"`
	SetsCookie bool        `json:"sets_cookie,omitempty"` // which keeps an answer out of caches
	Header     http.Header `json:"header,omitempty"`

	Body       json.RawMessage `json:"body,omitempty"`        // JSON without spaces between its parts
	BodyText   string          `json:"body_text,omitempty"`   // other text
	BodyBase64 []byte          `json:"body_base64,omitempty"` // what is no text
}

// storedFields are the header fields that the facade reads. It reads the date too,
// to learn how far two clocks are apart, which a recording cannot tell.
var storedFields = []string{
	"Allow", "Cache-Control", "Content-Type", "Expires", "Location", "Retry-After", "Www-Authenticate",
	"X-Tec-Total", "X-Tec-Totalpages", "X-Wp-Total", "X-Wp-Totalpages",
}

// keep notes the answer's status and header.
func (r *exchange) keep(status int, h http.Header) {
	r.Status = status
	r.SetsCookie = len(h.Values("Set-Cookie")) > 0
	r.Header = http.Header{}
	for _, name := range storedFields {
		if values := h.Values(name); len(values) > 0 {
			r.Header[name] = slices.Clone(values)
		}
	}
	if r.Header.Get("Location") != "" {
		r.Header["Location"] = []string{upstream.RedirectTarget(h)} // its query may hold a secret
	}
}

func (r *exchange) keepBody(body []byte) {
	var compact bytes.Buffer
	switch {
	case !utf8.Valid(body):
		r.BodyBase64 = body
	case json.Compact(&compact, body) == nil && bytes.Equal(compact.Bytes(), body) && !deeper(body, maxDepth):
		r.Body = body
		delete(r.Header, "Content-Type") // tells nothing that the body does not
	default:
		r.BodyText = string(body)
	}
}

// maxDepth is more than answers are nested. A line of the file is indented by its
// depth: without a bound, 20 KB of brackets would be a file of 200 MB.
const maxDepth = 20

// deeper reports whether JSON is nested by more than most.
func deeper(body []byte, most int) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // any is one
	for depth := 0; depth <= most; {
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

// bytes gives the body.
func (r *exchange) bytes() []byte {
	switch {
	case r.Body != nil:
		return r.Body
	case r.BodyBase64 != nil:
		return r.BodyBase64
	}
	return []byte(r.BodyText)
}

// header gives the header fields of the answer.
func (r *exchange) header() http.Header {
	h := r.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if r.SetsCookie {
		h["Set-Cookie"] = []string{""}
	}
	return h
}

// repeats reports whether the answer shows a secret: as it is, as a URL would
// write it, or as PHP writes it in JSON.
func (r *exchange) repeats(secrets []string) bool {
	texts := [][]byte{r.bytes()}
	for _, values := range r.Header {
		texts = append(texts, []byte(strings.Join(values, "\n")))
	}
	for _, secret := range secrets {
		quoted, err := json.Marshal(secret)
		if err != nil {
			return true
		}
		inside := strings.Trim(string(quoted), `"`)
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), inside, strings.ReplaceAll(inside, "/", `\/`)} {
			if slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(text, []byte(form)) }) {
				return true
			}
		}
	}
	return false
}

// decodeExchange reads a file. name is where it stands below the directory, which
// must be where its call belongs.
func decodeExchange(data []byte, name string, places []knownRoot) (*exchange, error) {
	r := new(exchange)
	if err := decodeStrictly(data, r); err != nil {
		return nil, err
	}
	for _, body := range []*json.RawMessage{&r.Sent, &r.Body} {
		var compact bytes.Buffer
		if *body == nil {
			continue
		}
		if err := json.Compact(&compact, *body); err != nil {
			return nil, err
		}
		*body = compact.Bytes()
	}
	if r.file(places) != name {
		return nil, errors.New("it holds another call than its name says, or one to a root that " + siteFile + " does not name")
	}
	if r.Status < 200 || r.Status > 599 {
		return nil, fmt.Errorf("%d is no status of an answer", r.Status)
	}
	for field := range r.Header {
		if !slices.Contains(storedFields, field) {
			return nil, fmt.Errorf("a recording holds no header field %q", field)
		}
	}
	return r, nil
}
