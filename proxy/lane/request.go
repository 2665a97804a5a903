package lane

import "net/http"

// Request is what the lane reads of a request without a body: all that a response to a
// plain one may depend on. Byte slices are parts of the connection's buffer.
type Request struct {
	Method         string // GET or HEAD
	Target         []byte // in origin form, well escaped
	AcceptEncoding []byte // nil: absent
	IfNoneMatch    []byte // nil: absent
	RequestID      []byte // nil: absent
	Traceparent    []byte // nil: absent
	Cookie         []byte // nil: absent
	Origin         bool   // present
	Nonce          bool   // X-WP-Nonce is present

	proxies []proxied    // of proxies, or of a client that imitates one; its array is reused
	header  *proxyHeader // reused; nil: not yet
	hosts   int          // number of Host fields
	beyond  bool         // a field may change the response that the lane does not read
}

// proxied is a field in which proxies name the client.
type proxied struct {
	name  string // canonical
	value []byte
}

// proxyHeader is the memory of a header that ProxyHeader returns.
type proxyHeader struct {
	fields http.Header
	values [maxProxyFields]string // of this request, or an earlier one
}

func (h *proxyHeader) of(proxies []proxied) http.Header {
	clear(h.fields)
	for i, p := range proxies {
		if h.values[i] != string(p.value) { // a proxy often repeats it
			h.values[i] = string(p.value)
		}
		value := h.values[i : i+1 : i+1]
		if before := h.fields[p.name]; before != nil {
			value = append(before, value...)
		}
		h.fields[p.name] = value
	}
	return h.fields
}

// maxProxyFields is how many fields of proxies the lane reads.
const maxProxyFields = 4

// ProxyHeader returns the fields in which proxies name the client: Forwarded
// and X-Forwarded-For. It is nil without any, and valid until the next
// request of the connection.
func (r *Request) ProxyHeader() http.Header {
	if len(r.proxies) == 0 {
		return nil
	}
	if r.header == nil {
		r.header = &proxyHeader{fields: make(http.Header, maxProxyFields)}
	}
	return r.header.of(r.proxies)
}

// proxyName returns the canonical name of a proxyField.
func proxyName(name []byte) string {
	if len(name) == len("Forwarded") {
		return "Forwarded"
	}
	return "X-Forwarded-For"
}

// fieldRole is the meaning of a header field to the lane.
type fieldRole uint8

const (
	ignored fieldRole = iota // changes no response
	refused                  // may change where the request ends, or what follows it
	beyond                   // may change the response, in a way that Request does not show
	hostField
	connectionField
	codingField
	matchField
	originField
	cookieField
	nonceField
	proxyField
	requestIDField
	traceField
)

// fieldRoles has, in lower case, all fields that net/http or the facade reads of a
// request without a body. A field that either begins to read must be added here.
var fieldRoles = map[string]fieldRole{
	"accept-encoding":    codingField,
	"authorization":      beyond,
	"connection":         connectionField,
	"content-length":     refused,
	"cookie":             cookieField,
	"expect":             refused,
	"forwarded":          proxyField,
	"host":               hostField,
	"http2-settings":     refused,
	"if-none-match":      matchField,
	"origin":             originField,
	"traceparent":        traceField,
	"trailer":            refused,
	"transfer-encoding":  refused,
	"upgrade":            refused,
	"x-calfacade-tester": beyond,
	"x-calfacade-token":  beyond,
	"x-forwarded-for":    proxyField,
	"x-request-id":       requestIDField,
	"x-wp-nonce":         nonceField,
}

// longestField is at least as long as every name in fieldRoles.
const longestField = 20
