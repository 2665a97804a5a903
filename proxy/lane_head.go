package proxy

import "bytes"

// laneHead is what the lane reads of a request. Its parts are the buffer's.
type laneHead struct {
	method string // GET or HEAD
	target []byte
	accept []byte // Accept-Encoding; nil: without
	match  []byte // If-None-Match; nil: without

	gzip   bool // Accept-Encoding takes it
	hosts  int
	origin bool
	cookie bool
	leaves bool // the answer depends on what the lane does not read

	proxies [maxProxyFields]laneField // what proxies say of who asks, or somebody who plays one
	proxied int
}

// laneField is a field as it came.
type laneField struct{ name, value []byte }

// maxProxyFields is how many fields of proxies the lane reads.
const maxProxyFields = 4

// fieldRole is what a header field is to the lane.
type fieldRole uint8

const (
	ignored fieldRole = iota // changes no answer out of the cache
	refused                  // may change where the request ends, or what follows it
	leaving                  // may change the answer
	hostField
	connectionField
	codingField
	matchField
	originField
	cookieField
	proxyField
)

// fieldRoles has, in lower case, all fields that net/http or the facade reads of a
// request without a body. A field that either begins to read must come here.
var fieldRoles = map[string]fieldRole{
	"accept-encoding":   codingField,
	"authorization":     leaving,
	"connection":        connectionField,
	"content-encoding":  refused,
	"content-length":    refused,
	"content-type":      refused,
	"cookie":            cookieField,
	"expect":            refused,
	"forwarded":         proxyField,
	"host":              hostField,
	"http2-settings":    refused,
	"if-none-match":     matchField,
	"origin":            originField,
	"te":                refused,
	"trailer":           refused,
	"transfer-encoding": refused,
	"upgrade":           refused,
	"x-calfacade-token": leaving,
	"x-forwarded-for":   proxyField,
	"x-forwarded-proto": proxyField,
	"x-request-id":      leaving,
	"x-wp-nonce":        leaving,
}

// longestField is at least as long as every name in fieldRoles.
const longestField = 20

// parseHead reads the head of a request from the beginning of b, and its length.
// That is 0 for everything that is not certain to mean the same to net/http, to
// whatever stands in front, and here: there it ends, with no body to follow. begun
// says that more of b may make it certain.
func parseHead(b []byte) (h laneHead, n int, begun bool) {
	for {
		line, length, begun := headLine(b[n:])
		switch {
		case length == 0:
			return h, 0, begun
		case n == 0:
			if !h.request(line) {
				return h, 0, false
			}
		case len(line) == 0:
			if h.hosts != 1 {
				return h, 0, false
			}
			return h, n + length, false
		case !h.field(line):
			return h, 0, false
		}
		n += length
	}
}

// headLine cuts a line that ends in CR LF; its length with these is 0 where there
// is none, and begun says that its end may follow. A CR alone is found by who reads
// the line.
func headLine(b []byte) (line []byte, n int, begun bool) {
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return nil, 0, end < 0
	}
	return b[:end-1], end + 1, false
}

// wellEscaped reports whether every % begins an escape, without which net/http
// refuses a path.
func wellEscaped(target []byte) bool {
	for {
		i := bytes.IndexByte(target, '%')
		if i < 0 {
			return true
		}
		if len(target) < i+3 || !isHex(target[i+1]) || !isHex(target[i+2]) {
			return false
		}
		target = target[i+3:]
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// request reads the first line.
func (h *laneHead) request(line []byte) bool {
	rest, ok := bytes.CutSuffix(line, []byte(" HTTP/1.1"))
	if !ok {
		return false
	}
	if h.target, ok = bytes.CutPrefix(rest, []byte("GET ")); ok {
		h.method = "GET"
	} else if h.target, ok = bytes.CutPrefix(rest, []byte("HEAD ")); ok {
		h.method = "HEAD"
	}
	return ok && len(h.target) > 0 && h.target[0] == '/' && all(h.target, inTarget) && wellEscaped(h.target)
}

// field reads a line of the header.
func (h *laneHead) field(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 || !all(line[:colon], inName) {
		return false // folded lines begin with a space, which no name has
	}
	value := bytes.Trim(line[colon+1:], " \t")
	if !all(value, inValue) {
		return false
	}
	switch roleOf(line[:colon]) {
	case refused:
		return false
	case leaving:
		h.leaves = true
	case hostField:
		h.hosts++
		return len(value) > 0 && all(value, inHost)
	case connectionField:
		return bytes.EqualFold(value, []byte("keep-alive"))
	case codingField:
		h.gzip = acceptsGzip([]string{string(value)})
		return once(&h.accept, value)
	case matchField:
		return once(&h.match, value)
	case originField:
		seen := h.origin
		h.origin = true
		return !seen && len(value) > 0
	case cookieField:
		h.cookie = true
	case proxyField:
		if h.proxied == maxProxyFields {
			h.leaves = true
			break
		}
		h.proxies[h.proxied] = laneField{line[:colon], value}
		h.proxied++
	}
	return true
}

// once keeps a value, of a field that must not come again nor be empty.
func once(kept *[]byte, value []byte) bool {
	if *kept != nil || len(value) == 0 {
		return false
	}
	*kept = value
	return true
}

func roleOf(name []byte) fieldRole {
	var lower [longestField]byte
	if len(name) > len(lower) {
		return ignored
	}
	known := lower[:copy(lower[:], name)]
	for i, c := range known {
		if 'A' <= c && c <= 'Z' {
			known[i] += 'a' - 'A' // #nosec G602 -- i is an index of known
		}
	}
	return fieldRoles[string(known)]
}

// The classes of bytes. All are of ASCII, and narrower than net/http's.
const (
	inTarget = 1 << iota
	inValue
	inName // RFC 9110, 5.6.2
	inHost // with its port
)

var byteClasses = func() (classes [256]uint8) {
	for c := '!'; c <= '~'; c++ {
		classes[c] |= inTarget | inValue
	}
	classes[' '] |= inValue
	classes['\t'] |= inValue
	const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, c := range alphanumeric + "!#$%&'*+-.^_`|~" {
		classes[c] |= inName
	}
	for _, c := range alphanumeric + "-._:[]" {
		classes[c] |= inHost
	}
	return classes
}()

func all(b []byte, class uint8) bool {
	for _, c := range b {
		if byteClasses[c]&class == 0 {
			return false
		}
	}
	return true
}
