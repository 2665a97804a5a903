package lane

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// Response is a complete response.
type Response struct {
	Head *Template
	Body []byte // not sent to HEAD; empty for 304

	// The values of the fields that differ from one response to the next. A field
	// that Head does not have is not sent.
	Age          int64  // seconds
	Expires      int64  // seconds; X-Accel-Expires
	CacheStatus  string // to which TTL is added
	TTL          int64  // seconds
	RateLimit    string
	RequestID    string
	ServerTiming string
}

// Template is the head of a response, except for the values that differ from one response
// to the next: those in [Response], and Date, unless the header has it. It never changes.
type Template struct {
	text   []byte
	pieces []piece
}

// piece is where a part of the text ends, with the value that follows it.
type piece struct {
	end  int
	then variable
}

// variable is a value of a field that each response has its own of.
type variable uint8

const (
	noVariable variable = iota
	age
	cacheStatus
	expires
	rateLimit
	requestID
	serverTiming
	date
)

var variables = map[string]variable{
	"Age": age, "Cache-Status": cacheStatus, "RateLimit": rateLimit, "Server-Timing": serverTiming, "X-Accel-Expires": expires, "X-Request-Id": requestID,
}

// NewTemplate returns the template of responses with a status and a header, in the order
// and the spelling of net/http. It is nil for a header that net/http would change.
func NewTemplate(status int, h http.Header) *Template {
	for _, name := range []string{"Connection", "Trailer", "Transfer-Encoding"} {
		if h[name] != nil {
			return nil
		}
	}
	var text bytes.Buffer
	pieces := make([]piece, 0, len(variables)+2)
	cut := func(then variable) { pieces = append(pieces, piece{text.Len(), then}) }
	text.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if then := variables[name]; then != noVariable {
			text.WriteString(name + ": ")
			cut(then)
			text.WriteString("\r\n")
			continue
		}
		_ = http.Header{name: h[name]}.Write(&text) // a buffer does not fail
	}
	if h["Date"] == nil {
		text.WriteString("Date: ")
		cut(date)
		text.WriteString("\r\n")
	}
	text.WriteString("\r\n")
	cut(noVariable)
	return &Template{bytes.Clone(text.Bytes()), pieces}
}

// templateOverhead is the memory of a template beside its text, in bytes.
const templateOverhead = 48 + 80

// Size returns the memory of the template, in bytes; 0 for nil.
func (t *Template) Size() int {
	if t == nil {
		return 0
	}
	return templateOverhead + cap(t.text)
}

// append appends the head of a response.
func (t *Template) append(b []byte, r *Response, now []byte) []byte {
	start := 0
	for _, p := range t.pieces {
		b = append(b, t.text[start:p.end]...)
		start = p.end
		switch p.then {
		case age:
			b = strconv.AppendInt(b, r.Age, 10)
		case cacheStatus:
			b = strconv.AppendInt(append(b, r.CacheStatus...), r.TTL, 10)
		case expires:
			b = strconv.AppendInt(b, r.Expires, 10)
		case rateLimit:
			b = append(b, r.RateLimit...)
		case requestID:
			b = append(b, r.RequestID...)
		case serverTiming:
			b = append(b, r.ServerTiming...)
		case date:
			b = append(b, now...)
		}
	}
	return b
}
