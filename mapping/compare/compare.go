package compare

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Documents compares the candidate's response to a call of the endpoint, such as
// "events.list", with the reference's. The differences are in the order of the
// reference's document, and nil where there is none but known ones. A difference that repeats another
// one of the same item, as the details of a date do, is left out.
//
// The items of a list are matched by their ids, where all have one that is not
// ignored, and else by what they are. Errors are compared as the endpoint "error".
func (c *Comparer) Documents(endpoint string, reference, candidate Document) []Difference {
	return (&walker{rules: c}).find(endpoint, reference, candidate)
}

// Result has the differences of two responses.
type Result struct {
	Differences []Difference
	Noise       []Difference   // due to the reference, which differs from itself there
	Known       map[string]int // numbers of known differences, by name
}

// Compare compares as Documents does. If there is a difference, again reads the reference once more.
// Real differences are the ones that both readings show alike; others, where the reference differs
// from itself, are noise.
func (c *Comparer) Compare(endpoint string, reference, candidate Document, again func() (Document, error)) (r Result, err error) {
	w := &walker{rules: c}
	differing := w.find(endpoint, reference, candidate)
	r.Known = w.knownCounts
	if len(differing) == 0 {
		return r, nil
	}
	control, err := again()
	if err != nil {
		return Result{}, err
	}
	still := map[Difference]bool{}
	for _, d := range c.Documents(endpoint, control, candidate) {
		still[d] = true
	}
	for _, d := range differing {
		if still[d] {
			r.Differences = append(r.Differences, d)
		} else {
			r.Noise = append(r.Noise, d)
		}
	}
	return r, nil
}

func (w *walker) find(endpoint string, reference, candidate Document) []Difference {
	w.resource, _, _ = strings.Cut(endpoint, ".")
	if reference.Status != candidate.Status {
		d := Difference{Kind: Status, Want: statusOf(reference), Got: statusOf(candidate), Cause: Cause{Resource: w.resource}}
		k := w.rules.findKnown(func(k *Known) bool {
			return slices.Contains(k.Statuses, [2]string{d.Want, d.Got}) && (k.Endpoints == nil || slices.Contains(k.Endpoints, endpoint))
		})
		if k != nil {
			w.count(k, 1)
			return nil
		}
		return []Difference{d}
	}
	if bytes.Equal(reference.Body, candidate.Body) {
		return nil
	}
	if reference.Status >= http.StatusBadRequest {
		endpoint = errorEndpoint
	}
	a := parse(reference.Body)
	b := parse(candidate.Body)
	w.unlisted(endpoint, a, b)
	w.compare(w.rules.top(endpoint), a, b, scope{pair: [2]*node{a, b}})
	if len(w.differences) == 0 {
		return w.repeated // of nothing but known differences
	}
	return w.differences
}

// statusOf returns a status, and the code of an error.
func statusOf(d Document) string {
	status := strconv.Itoa(d.Status)
	if code := parse(d.Body).member("code"); code != nil && code.kind == '"' && d.Status >= http.StatusBadRequest {
		return printable(status + " " + code.text())
	}
	return status
}

// Document is a response in the neutral namespace. The counts that a list has in its
// header fields are in its body too.
type Document struct {
	Status int
	Body   []byte

	URL string // of the call to the site; "" where it is not known. It is not compared.
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

	Values uint64 `json:"-"` // hash of both values, and of secrets in them, by a seed of this process
	Cause  Cause  `json:"cause,omitzero"`
}

// MaxDifferences is how many differences of one document are reported.
// It is for documents that have nothing in common, which one look shows.
const MaxDifferences = 1000
