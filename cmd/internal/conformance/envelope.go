package main

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
)

// envelope is what a response of the suite's server has beside its status. It travels through
// the facade as text that people could have written, which is never changed.
type envelope struct {
	Header http.Header
	Body   string
}

// sealed finds an envelope in a body. Hexadecimal digits spell no word that the facade renames.
var sealed = regexp.MustCompile(`cache-test:([0-9a-f]+):`)

// seal returns the envelope as text.
func (e envelope) seal() string {
	data, err := json.Marshal(e)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return "cache-test:" + hex.EncodeToString(data) + ":"
}

// unseal returns the envelope in a body, if it has one. Errors of the facade have none.
func unseal(body []byte) (e envelope, ok bool) {
	found := sealed.FindSubmatch(body)
	if found == nil {
		return e, false
	}
	data, err := hex.DecodeString(string(found[1]))
	if err != nil {
		return e, false
	}
	return e, json.Unmarshal(data, &e) == nil
}
