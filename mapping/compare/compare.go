package compare

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
)

// Documents compares the candidate's response to a call of the endpoint, such as "events.list", with the
// reference's. The differences are in the order of the reference's document, and nil without unknown
// differences. A difference that repeats another difference of the same item, such as the details of a date, is
// left out.
//
// The items of a list are matched by id if all have an id that is not ignored, and otherwise by content. Errors
// are compared as the endpoint "error".
func (c *Comparer) Documents(endpoint string, reference, candidate Document) []Difference {
	return (&walker{rules: c}).find(endpoint, reference, candidate)
}

// Result has the differences of two responses.
type Result struct {
	Differences []Difference
	Noise       []Difference   // where two readings of the reference differ
	Known       map[string]int // numbers of known differences, by name
}

// Compare compares as Documents does. If there is a difference, again reads the reference once more. Real
// differences are the same in both readings; others, where the reference differs between the readings, are
// noise.
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
		return w.repeated // only repetitions of known differences
	}
	return w.differences
}

// statusOf returns a status, and the code of an error.
func statusOf(d Document) string {
	status := strconv.Itoa(d.Status)
	code := parse(d.Body).member("code")
	if code != nil && code.kind == '"' && d.Status >= http.StatusBadRequest {
		return printable(status + " " + code.text())
	}
	return status
}

// Document is a response in the neutral namespace. The counts in the header fields of a list are in the body
// too.
type Document struct {
	Status int
	Body   []byte

	URL string // of the call to the site; "" if unknown; not compared
}

// Reading returns a comparer that leaves out of lists the items that only the candidate lists; see
// [Known.Unlisted]. fetch makes a call for an item at the reference, once for each of limit items.
//
// A page proves little about the whole list. Items that additional items have moved to the candidate's next
// page are left out of the reference's page, and the candidate's total may be larger by the number of
// additional items or more. Items that an earlier page has moved to this one are differences.
func (c *Comparer) Reading(limit int, fetch func(*mapping.Call) (Document, error)) *Comparer {
	reading := *c
	items := map[string][]byte{}
	reading.fetchItem = func(resource, id string) []byte {
		if _, ok := items[id]; !ok && len(items) < limit {
			d, err := fetch(&mapping.Call{Endpoint: mapping.RowOf(resource, mapping.Read, false), Method: http.MethodGet, Item: id})
			if err != nil || d.Status != http.StatusOK {
				d.Body = nil
			}
			items[id] = d.Body
		}
		return items[id]
	}
	return &reading
}

// Entries returns a comparer of two pages of a list that compares the items of both, and neither order nor
// counts: the other items may be on other pages.
func (c *Comparer) Entries() *Comparer {
	entries := *c
	entries.entries = true
	return &entries
}

// unlisted removes the items that only the candidate lists from two pages of a list.
func (w *walker) unlisted(endpoint string, wantList, gotList *node) {
	k := w.rules.findKnown(func(k *Known) bool { return k.Unlisted[endpoint] != nil })
	reference := wantList.member(w.resource)
	candidate := gotList.member(w.resource)
	if k == nil || w.rules.fetchItem == nil || reference == nil || candidate == nil || !haveIDs(reference) || !haveIDs(candidate) {
		return
	}
	idOf := func(item *node) string { return item.member(idName).text() }
	listed := map[string]bool{}
	for i := range reference.inner {
		listed[idOf(&reference.inner[i])] = true
	}
	remaining := slices.DeleteFunc(slices.Clone(candidate.inner), func(item node) bool {
		id := idOf(&item)
		if listed[id] {
			return false
		}
		body := w.rules.fetchItem(w.resource, id)
		return body != nil && k.Unlisted[endpoint](body)
	})
	surplus := len(candidate.inner) - len(remaining)
	a := wantList.member(mapping.TotalName)
	b := gotList.member(mapping.TotalName)
	if surplus == 0 || a != nil && b != nil && mapping.ParseCount(b.text())-mapping.ParseCount(a.text()) < surplus {
		return
	}
	moved := min(len(reference.inner)-len(remaining), surplus)
	if moved > 0 && gotList.member(mapping.NextName) != nil {
		reference.inner = reference.inner[:len(reference.inner)-moved]
	}
	candidate.inner = remaining
	w.count(k, surplus)
	for _, list := range []*node{wantList, gotList} {
		list.inner = slices.DeleteFunc(list.inner, func(member node) bool {
			return slices.Contains([]string{mapping.TotalName, mapping.TotalPagesName, mapping.NextName}, member.name)
		})
	}
}
