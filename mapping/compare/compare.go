package compare

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
)

// Documents compares the candidate's response to a call of the endpoint, such as
// "events.list", with the reference's. The differences are in the order of the
// reference's document, and nil where there is no difference. The known ones follow, one of
// each kind.
//
// The items of a list are matched by their ids, where all have one that is not
// ignored, and else by what they are. Errors are compared as the endpoint "error".
func (c *Comparer) Documents(endpoint string, want, got Document) []Difference {
	return differences((&walker{rules: c}).find(endpoint, want, got))
}

// Real compares a candidate with two readings of the reference, one before and one
// after it or both before. Real are the differences from both at the same path; what
// the reference differs in from itself is not due to the candidate, and is noise,
// reported as differences of the candidate from the first reading.
//
// A reference that differs from itself in [MaxDifferences] paths proves nothing:
// everything is noise then, except for known differences, which are real.
func (c *Comparer) Real(endpoint string, first, again, candidate Document) (real, noise []Difference) {
	differing := (&walker{rules: c}).find(endpoint, first, candidate)
	if len(differing) == 0 {
		return nil, nil
	}
	itself := (&walker{rules: c, ofOne: true}).find(endpoint, first, again)
	if len(itself) == 0 {
		return differences(differing), nil
	}
	type one struct {
		at   uint64
		kind Kind
	}
	restless, still := map[uint64]bool{}, map[one]bool{}
	for i := range itself {
		restless[itself[i].at] = true
	}
	for _, d := range (&walker{rules: c}).find(endpoint, again, candidate) {
		still[one{d.at, d.Kind}] = true
	}
	for _, d := range differing {
		if d.Known != "" || len(itself) < MaxDifferences && still[one{d.at, d.Kind}] && !restless[d.at] {
			real = append(real, d.Difference)
		} else {
			noise = append(noise, d.Difference)
		}
	}
	return real, noise
}

func (w *walker) find(endpoint string, want, got Document) []found {
	if want.Status != got.Status {
		d := Difference{Kind: Status, Want: statusOf(want), Got: statusOf(got), Cause: causeOfStatus(want, got)}
		if k := w.rules.knownStatus(endpoint, d); k != nil && !w.ofOne {
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
	a, b := parse(want.Body), parse(got.Body)
	if a == nil || b == nil {
		return []found{unreadable(want.Body, got.Body, a, b)}
	}
	top := w.rules.top(endpoint)
	w.resource = top.learn(endpoint)
	w.unlisted(endpoint, a, b)
	w.compare(top, a, b, scope{both: [2]*node{a, b}})
	return append(w.found, w.known...)
}

// statusOf returns a status, and the code of an error.
func statusOf(d Document) string {
	status := strconv.Itoa(d.Status)
	if n := parse(d.Body); n != nil && d.Status >= http.StatusBadRequest {
		if code := n.member("code"); code != nil && code.kind == '"' {
			return shown(status + " " + code.text())
		}
	}
	return status
}

// unreadable returns the difference of documents that are not both JSON. Their content is not shown:
// it may hold anything.
func unreadable(want, got []byte, wanted, gotten *node) found {
	show := func(body []byte, n *node) string {
		if n != nil {
			return typeOf(n.kind)
		}
		return fmt.Sprintf("no JSON, %d bytes", len(body))
	}
	kind := Type
	if wanted == nil && gotten == nil {
		kind = Value
	}
	return found{Difference: Difference{Kind: kind, Want: show(want, wanted), Got: show(got, gotten), Cause: Cause{Values: digest(string(kind))}}}
}
