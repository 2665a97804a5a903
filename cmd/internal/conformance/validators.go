package main

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// validators translate entity tags. The facade has its own, which it makes from the body, and
// does not forward those of the site.
type validators struct {
	mu sync.Mutex
	of map[int]map[string]envelope // by item and the facade's tag
}

// entityTag matches a valid tag (RFC 9110, 8.8.3); the first group is what stands in quotes,
// quotes included.
var entityTag = regexp.MustCompile(`^(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")$`)

// note remembers that the facade's tag stands for a response of the suite's server.
func (v *validators) note(id int, tag string, of envelope) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[int]map[string]envelope{}
	}
	if v.of[id] == nil {
		v.of[id] = map[string]envelope{}
	}
	v.of[id][tag] = of
}

// toFacade translates the values of If-None-Match. A tag that is not valid stays, and matches
// nothing.
func (v *validators) toFacade(id int, values []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var translated []string
	for _, value := range values {
		for tag, of := range v.of[id] {
			if opaque := entityTag.FindStringSubmatch(of.Header.Get("Etag")); opaque != nil {
				value = strings.ReplaceAll(value, opaque[1], tag)
			}
		}
		translated = append(translated, value)
	}
	return translated
}

// plainTag returns the tag of the response without its coding: the facade compresses a response in the
// background, and a 304 then has the tag of the compressed one.
func plainTag(tag string) string { return strings.Replace(tag, `-gzip"`, `"`, 1) }

// fields returns the header fields of the response that the facade's tag stands for: those
// that a 304 may have.
func (v *validators) fields(id int, tag string) http.Header {
	v.mu.Lock()
	defer v.mu.Unlock()
	h := http.Header{}
	of := v.of[id][tag].Header
	for other, sent := range v.of[id] {
		if of == nil && plainTag(other) == plainTag(tag) {
			of = sent.Header
		}
	}
	for _, name := range []string{"Cache-Control", "Content-Location", "Etag", "Expires", "Vary"} {
		if of[name] != nil {
			h[name] = of[name]
		}
	}
	return h
}
