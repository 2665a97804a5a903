package upstream

import (
	"context"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// Class is the priority of a call: calls of a lower class are refused first.
type Class int

// The classes.
const (
	Refresh Class = iota // a stale response is served meanwhile
	Read                 // of a key that may never have been served
	Known                // a read of a key that was served before
	Write                // a person waits, and would have to type again
)

// Request is a call to a backend.
type Request struct {
	Method, Target string      // path and query below the root
	Header         http.Header // in addition to those of all calls
	Body           []byte      // JSON; nil sends none
	Class          Class
	Anonymous      bool // every client would get the same response
	Edits          bool // reads an item that is to be written
	Slug           bool // Target has a slug, which is any text: the backend may have no route for it
}

// RequestOf returns the anonymous request that a backend's dialect translated a call into.
func RequestOf(r mapping.Request, class Class) Request {
	out := Request{
		Method: r.Method, Target: r.Path, Header: make(http.Header, 8), Body: r.Body,
		Class: class, Anonymous: true, Edits: r.Edits, Slug: r.Slug,
	}
	if r.Query != "" {
		out.Target += "?" + r.Query
	}
	for name := range r.Header {
		out.Header.Set(name, r.Header.Get(name))
	}
	return out
}

// safe reports whether sending the call twice does what sending it once does.
func (o *Request) safe() bool { return o.Method == http.MethodGet }

// editsKey marks the context of a call that reads an item to be written.
type editsKey struct{}

// Edits reports whether the call with this context reads an item before it is written. The
// site sees no difference; a recording distinguishes the two.
func Edits(ctx context.Context) bool {
	edits, _ := ctx.Value(editsKey{}).(bool)
	return edits
}
