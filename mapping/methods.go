package mapping

import (
	"net/http"
	"slices"
	"strings"
)

// Methods lists the methods of a path in the table's order, without the implied.
func Methods(path string) []string {
	var methods []string
	for _, e := range Rows(path) {
		methods = append(methods, e.Methods...)
	}
	return methods
}

// Allow returns the methods of a path, with HEAD and OPTIONS, for the header field of that name.
func Allow(path string) string {
	methods := append([]string{http.MethodOptions}, Methods(path)...)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// BodyTypes are the media types of the bodies that writes read, sorted. Types that end with +json are
// read as JSON too.
var BodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}

// bodyTypeFields are the header fields that name the media types of the bodies of a method: RFC 5789, 3.1
// for PATCH, and https://www.w3.org/TR/ldp/#header-accept-post for POST. PUT has no such field.
var bodyTypeFields = map[string]string{http.MethodPatch: "Accept-Patch", http.MethodPost: "Accept-Post"}

// SetBodyTypes sets the header fields that name the media types of the bodies that a path reads.
func SetBodyTypes(h http.Header, path string) {
	for _, method := range Methods(path) {
		if name := bodyTypeFields[method]; name != "" {
			h[name] = []string{strings.Join(BodyTypes, ", ")}
		}
	}
}
