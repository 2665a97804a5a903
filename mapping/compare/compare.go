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
	return differences(c.find(endpoint, want, got))
}

func (c *Comparer) find(endpoint string, want, got Document) []found {
	if want.Status != got.Status {
		d := Difference{Kind: Status, Want: statusOf(want), Got: statusOf(got), Cause: causeOfStatus(want, got)}
		if k := c.knownStatus(endpoint, d); k != nil {
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
	w := walker{documents: documents{c, parse(want.Body), parse(got.Body)}}
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
