package openapi

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// field is a header field of responses, as documented. Its text is
// "header." and the name.
type field struct {
	name   string
	among  among // the endpoints that can have it
	status []int // of the responses; nil: all
	whole  bool  // a whole number, and not text
	always bool  // whatever the site and the configuration
}

// responseFields are the header fields that clients can use. Others describe how a
// browser should treat the response.
var responseFields = []field{
	{"Age", reads304, nil, true, false},
	{"Allow", forwarded, nil, false, false},
	{"Cache-Control", allRows, nil, false, false},
	{"Cache-Status", forwarded, nil, false, false},
	{"Content-Language", allRows, nil, false, true},
	{"ETag", reads304, nil, false, false},
	{"Expires", forwarded, nil, false, false},
	{"Link", listRows, []int{200}, false, false},
	{"Location", createRows, []int{201}, false, false},
	{"Preference-Applied", updateRows, nil, false, false},
	{"RateLimit", allRows, nil, false, false},
	{"RateLimit-Policy", allRows, nil, false, false},
	{"Retry-After", allRows, []int{429, 503}, true, false},
	{"Vary", allRows, nil, false, false},
	{"WWW-Authenticate", forwarded, []int{401}, false, false},
	{mapping.HeaderTotal, listRows, []int{200}, true, false},
	{mapping.HeaderTotalPages, listRows, []int{200}, true, false},
	{"X-Request-Id", allRows, nil, false, true},
	{"X-WP-Nonce", forwarded, nil, false, false},
	{mapping.HeaderWPTotal, listRows, []int{200}, true, false},
	{mapping.HeaderWPTotalPages, listRows, []int{200}, true, false},
}

func (h *field) at(status int) bool { return slices.Contains(h.status, status) }

// notModifiedFields are the fields of a 304: those that update a stored response, and those about the request.
var notModifiedFields = []string{"Age", "Cache-Control", "Cache-Status", "ETag", "RateLimit", "RateLimit-Policy", "Vary", "X-Request-Id", "X-WP-Nonce"}

func headerRefs(e *mapping.Endpoint, status int) members {
	m := members{}
	for i := range responseFields {
		h := &responseFields[i]
		// The index is the table's own, but lists its methods.
		ours := h.among.has(e) || h.name == "Allow" && e.Action == mapping.Index
		if status == http.StatusNotModified && !slices.Contains(notModifiedFields, h.name) {
			continue
		}
		if ours && (h.status == nil || h.at(status)) {
			m = append(m, member{h.name, ref("headers", h.name)})
		}
	}
	return m
}

func (d document) header(h *field) members {
	kind := "string"
	if h.whole {
		kind = "integer"
	}
	m := members{{"description", d.text("header." + h.name)}}
	if h.always {
		m = append(m, member{"required", true})
	}
	return append(m, member{"schema", typed(kind, false)})
}
