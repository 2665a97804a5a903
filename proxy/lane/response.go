package lane

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// Answerer looks up the responses to the requests of one connection. One goroutine at a
// time calls the Answerer.
type Answerer interface {
	// Lookup returns the response to a request, which must be byte for byte the response of
	// the server's handler, and never one that takes time to make: the longest permitted wait
	// is for the count of a quota in Redis. A target must be known from a request that net/http
	// accepted, and [Request.ReadHeader] must have read the header. Without a response Lookup
	// returns false, and has no effect: net/http serves the request. The request and its byte
	// slices are valid until Done.
	Lookup(*Request) (Response, bool)

	// Done reports the outcome of sending the response that Lookup returned last: the
	// bytes of the body that were sent, and an error if the client is gone.
	Done(body int, err error)
}

// Response is a complete response.
type Response struct {
	Head *Template
	Body []byte // not sent to HEAD; empty for 304

	// The values of the fields that differ from one response to the next. A field
	// that Head does not have is not sent.
	Age         int64  // seconds
	Expires     int64  // seconds; X-Accel-Expires
	CacheStatus string // to which TTL is added
	TTL         int64  // seconds
	RateLimit   string
	RequestID   string
}

// Template is the head of a response, except for the values that differ from one response
// to the next: the values in [Response], and Date, unless the header has a Date. A template never changes.
type Template struct {
	text   []byte
	pieces []piece
}

// piece is the end of a part of the text, with the field that has the next value.
type piece struct {
	end  int
	then string
}

// variables are the fields with values of each response, beside Date.
var variables = []string{"Age", "Cache-Status", "RateLimit", "X-Accel-Expires", "X-Request-Id"}

// NewTemplate returns the template of responses with a status and a header, in the order
// and the spelling of net/http. A header that net/http would change has a nil template.
func NewTemplate(status int, h http.Header) *Template {
	for _, name := range []string{"Connection", "Trailer", "Transfer-Encoding"} {
		if h[name] != nil {
			return nil
		}
	}
	var text bytes.Buffer
	pieces := make([]piece, 0, len(variables)+2)
	cut := func(then string) { pieces = append(pieces, piece{end: text.Len(), then: then}) }
	text.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if slices.Contains(variables, name) {
			text.WriteString(name + ": ")
			cut(name)
			text.WriteString("\r\n")
			continue
		}
		_ = http.Header{name: h[name]}.Write(&text) // a buffer does not fail
	}
	if h["Date"] == nil {
		text.WriteString("Date: ")
		cut("Date")
		text.WriteString("\r\n")
	}
	text.WriteString("\r\n")
	cut("")
	return &Template{text: bytes.Clone(text.Bytes()), pieces: pieces}
}

// templateOverhead is the memory of a template beside the text, in bytes.
const templateOverhead = 48 + 176

// Size returns the memory of the template, in bytes.
func (t *Template) Size() int { return templateOverhead + cap(t.text) }

// append appends the head of a response.
func (t *Template) append(b []byte, r *Response, now []byte) []byte {
	start := 0
	for _, p := range t.pieces {
		b = append(b, t.text[start:p.end]...)
		start = p.end
		switch p.then {
		case "Age":
			b = strconv.AppendInt(b, r.Age, 10)
		case "Cache-Status":
			b = strconv.AppendInt(append(b, r.CacheStatus...), r.TTL, 10)
		case "X-Accel-Expires":
			b = strconv.AppendInt(b, r.Expires, 10)
		case "RateLimit":
			b = append(b, r.RateLimit...)
		case "X-Request-Id":
			b = append(b, r.RequestID...)
		case "Date":
			b = append(b, now...)
		}
	}
	return b
}
