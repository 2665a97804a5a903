package compare

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
)

// Document is a response in the neutral namespace. The counts that a list has in its
// header fields are in its body too.
type Document struct {
	Status int
	Body   []byte

	Sources []Source // what it was made of; nil if that is not known. It is not compared.
}

// Source is an answer of a site.
type Source struct {
	URL    string // of the request
	Status int
	Body   []byte
}

// Kind is the way in which two documents differ.
type Kind string

// The kinds.
const (
	Status  Kind = "status"  // of the response; the bodies are not compared then
	Missing Kind = "missing" // the reference has it, the candidate does not
	Extra   Kind = "extra"   // the candidate has it, the reference does not
	Type    Kind = "type"    // another JSON type
	Value   Kind = "value"   // another value of the same type
	Order   Kind = "order"   // a list with its items in another order
)

// Difference is one thing in which the candidate differs.
type Difference struct {
	Path string `json:"path"`           // such as "events[].venue.city"; "" for the whole document
	Kind Kind   `json:"kind"`           // in what way
	Item string `json:"item,omitempty"` // the id of the innermost item of a list that it is in, or is; "" for none
	Want string `json:"want,omitempty"` // what the reference has, to be shown to people; see [MaxShown]
	Got  string `json:"got,omitempty"`  // what the candidate has, likewise

	Cause Cause `json:"cause,omitzero"`
	// Known is the name of the [Known] difference that it is one of; "" for none. Times is how many
	// of these the document has: it is the first.
	Known string `json:"known,omitempty"`
	Times int    `json:"times,omitempty"`
}

// MaxDifferences is how many differences of one document are reported, beside the known ones.
// It is for documents that have nothing in common, which one look shows.
const MaxDifferences = 1000

// Documents compares the candidate's response to a call of the endpoint, such as
// "events.list", with the reference's. The differences are in the order of the
// reference's document, and nil where there is no difference. The known ones follow, one of
// each kind.
//
// The items of a list are matched by their ids, where all have one that is not
// ignored, and else by what they are. Errors are compared as the endpoint "error".
func (c *Comparer) Documents(endpoint string, want, got Document) []Difference {
	return differences(c.find(endpoint, want, got))
}

// found is a difference and its exact path, which has ids of items.
type found struct {
	Difference
	at uint64
}

func differences(all []found) []Difference {
	var out []Difference
	for i := range all {
		out = append(out, all[i].Difference)
	}
	return out
}

func (c *Comparer) find(endpoint string, want, got Document) []found {
	if want.Status != got.Status {
		d := Difference{Kind: Status, Want: statusOf(want), Got: statusOf(got), Cause: causeOfStatus(want, got)}
		if k := c.knownStatus(d); k != nil {
			d.Known, d.Times = k.Name, 1
		}
		return []found{{Difference: d}}
	}
	if bytes.Equal(want.Body, got.Body) {
		return nil
	}
	if want.Status >= http.StatusBadRequest {
		endpoint = errorEndpoint
	}
	w := walker{rules: c, want: parse(want.Body), got: parse(got.Body)}
	if w.want == nil || w.got == nil {
		return []found{unreadable(want.Body, got.Body, w.want, w.got)}
	}
	top := c.top(endpoint)
	w.resource = top.learn(endpoint)
	w.compare(top, 0, 0, scope{})
	return append(w.found, w.known...)
}

// statusOf returns a status, and the code of an error.
func statusOf(d Document) string {
	status := strconv.Itoa(d.Status)
	if t := parse(d.Body); t != nil && d.Status >= http.StatusBadRequest {
		if i, ok := t.member(0, "code"); ok && t.values[i].kind == '"' {
			return shown(status + " " + string(t.text(i)))
		}
	}
	return status
}

// unreadable returns the difference of documents of which one or both are no JSON. What they are
// instead is not shown: nothing is known of what is in it.
func unreadable(want, got []byte, wanted, gotten *tree) found {
	show := func(body []byte, t *tree) string {
		if t != nil {
			return typeOf(t.values[0].kind)
		}
		return fmt.Sprintf("no JSON, %d bytes", len(body))
	}
	kind := Type
	if wanted == nil && gotten == nil {
		kind = Value
	}
	return found{Difference: Difference{Kind: kind, Want: show(want, wanted), Got: show(got, gotten), Cause: Cause{Values: digest(string(kind))}}}
}
