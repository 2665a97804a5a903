package lane

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"slices"
)

// Request has the parts of a request without a body that the lane reads: all that a response to a
// plain one may depend on. Byte slices are parts of the connection's buffer.
type Request struct {
	Method         string // GET or HEAD
	Target         []byte // in origin form; net/http may refuse it
	AcceptEncoding []byte // nil: absent
	IfNoneMatch    []byte // nil: absent
	RequestID      []byte // nil: absent
	Traceparent    []byte // nil: absent
	Cookie         []byte // nil: absent
	Origin         bool   // present
	Nonce          bool   // X-WP-Nonce is present

	forwarded []byte      // the values of X-Forwarded-For, of proxies or of a client that imitates one, each after a comma
	header    http.Header // of this request, or of an earlier one; nil: not yet
	hosts     int         // number of Host fields

	unread     []byte // after the first line
	length     int    // of the bytes that were read; in the end of the request, which has no body
	incomplete bool   // the bytes do not suffice
}

// ProxyHeader returns the fields in which proxies name the client. The header is nil without such a field, and
// valid until the next request of the connection.
func (r *Request) ProxyHeader() http.Header {
	if len(r.forwarded) == 0 {
		return nil
	}
	if r.header == nil {
		r.header = http.Header{"X-Forwarded-For": {""}}
	}
	value := r.header["X-Forwarded-For"]
	list := r.forwarded[1:]
	if value[0] != string(list) { // a proxy often repeats the value
		value[0] = string(list)
	}
	return r.header
}

// A request is read only as long as it is certain to mean the same to net/http, to proxies in front, and to the
// lane.

// readLine reads the first line of the request at the beginning of b.
func (r *Request) readLine(b []byte) bool {
	*r = Request{forwarded: r.forwarded[:0], header: r.header}
	line, n, incomplete := headLine(b)
	r.unread = b[n:]
	r.length = n
	r.incomplete = incomplete
	methodAndTarget, ok := bytes.CutSuffix(line, []byte(" HTTP/1.1"))
	if !ok {
		return false
	}
	if r.Target, ok = bytes.CutPrefix(methodAndTarget, []byte("GET ")); ok {
		r.Method = "GET"
	} else if r.Target, ok = bytes.CutPrefix(methodAndTarget, []byte("HEAD ")); ok {
		r.Method = "HEAD"
	}
	return ok && len(r.Target) > 0 && r.Target[0] == '/' && bytes.IndexByte(r.Target, ' ') < 0
}

// ReadHeader reads the header. Without ReadHeader a request has only a method and a target, which suffice to leave most
// requests to net/http. ReadHeader returns false if the request is not a plain one, or is not complete; the request is
// then for net/http, and Lookup must return false.
func (r *Request) ReadHeader() bool {
	for {
		line, n, incomplete := headLine(r.unread)
		r.unread = r.unread[n:]
		r.length += n
		switch {
		case n == 0:
			r.incomplete = incomplete
			return false
		case len(line) == 0:
			return r.hosts == 1
		case !r.field(line):
			return false
		}
	}
}

// headLine cuts a line that ends in CR LF, and returns the length with CR LF. Without such a line
// the length is 0, and incomplete reports that the end of the line may follow. The caller finds a bare CR.
func headLine(b []byte) (line []byte, n int, incomplete bool) {
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return nil, 0, end < 0
	}
	return b[:end-1], end + 1, false
}

// nameRoom is more than the length of every name that field knows.
const nameRoom = 24

// field reads a line of the header. All fields that net/http or the facade reads of a
// request without a body are known here: add a field that either begins to read.
func (r *Request) field(line []byte) bool {
	var name [nameRoom]byte // in lower case
	n := 0
	for ; n < len(line) && nameBytes[line[n]] != 0; n++ {
		name[min(n, nameRoom-1)] = nameBytes[line[n]]
	}
	if n == 0 || n == len(line) || line[n] != ':' {
		return false // folded lines begin with a space, which no name has
	}
	value := trim(line[n+1:])
	if !isText(value, ' ') {
		return false
	}
	switch string(name[:min(n, nameRoom)]) {
	case "content-length", "expect", "http2-settings", "trailer", "transfer-encoding", "upgrade":
		return false // may change the end of the request, or the next data
	case "authorization", "x-calfacade-tester":
		return false // may change the response
	case "host":
		r.hosts++
		return len(value) > 0 && !slices.ContainsFunc(value, func(c byte) bool { return hostBytes[c] == 0 })
	case "connection":
		return bytes.EqualFold(value, []byte("keep-alive"))
	case "accept-encoding":
		return storeOnce(&r.AcceptEncoding, value)
	case "if-none-match":
		return storeOnce(&r.IfNoneMatch, value)
	case "origin":
		repeated := r.Origin
		r.Origin = true
		return !repeated && len(value) > 0
	case "cookie":
		return storeOnce(&r.Cookie, value)
	case "x-wp-nonce":
		r.Nonce = true
	case "x-forwarded-for":
		r.forwarded = append(append(r.forwarded, ','), value...)
	case "x-request-id":
		return storeOnce(&r.RequestID, value)
	case "traceparent":
		return storeOnce(&r.Traceparent, value)
	}
	return true
}

// storeOnce stores the value of a field that neither occurs twice nor is empty in a plain request.
func storeOnce(dst *[]byte, value []byte) bool {
	if *dst != nil || len(value) == 0 {
		return false
	}
	*dst = value
	return true
}

// trim removes spaces and tabs around a value.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// isText reports whether all bytes are from least, which is '!' or ' ', to '~'; net/http
// accepts more. Most of a head goes through isText, and so eight bytes at a time (BenchmarkParse).
func isText(b []byte, least byte) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		// The first byte that is less than least, above '~' or no ASCII leaves a high bit.
		x := binary.LittleEndian.Uint64(b)
		if ((x-ones*uint64(least))|(x+ones)|x)&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < least || c > '~' {
			return false
		}
	}
	return true
}

// The bytes of names (RFC 9110, 5.6.2), and of hosts with their ports. They are fewer than net/http's.
var nameBytes, hostBytes = inLowerCase("!#$%&'*+-.^_`|~"), inLowerCase("-._:[]")

// inLowerCase maps digits, the bytes of extra, and letters to themselves in lower case, and all else to 0.
func inLowerCase(extra string) (lower [256]byte) {
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + extra) {
		lower[c] = bytes.ToLower([]byte{c})[0]
	}
	return lower
}
