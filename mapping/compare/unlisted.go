package compare

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// maxUnlisted is the maximum number of items of a page that are read because only the
// candidate's has them.
const maxUnlisted = 20

// Listed returns two pages of a list without the items that only the candidate lists, as
// [Known.Unlisted] has it, and the known difference. read returns the reference's response to
// a read of an item, nil for none. It returns the pages as they are, and no known difference,
// if there is no such item.
//
// A page proves little of its list. Items that the others have moved to the candidate's next page are
// left out of the reference's, and its total may be larger by any number that is not smaller than
// that of the items. The items that an earlier page has moved to this one are differences.
func (c *Comparer) Listed(endpoint string, want, got Document, read func(id string) []byte) (listedWant, listedGot Document, known *Difference) {
	k := c.KnownExtra(endpoint)
	if k == nil || want.Status != http.StatusOK || got.Status != http.StatusOK {
		return want, got, nil
	}
	resource, _, _ := strings.Cut(endpoint, ".")
	reference, candidate := pageOf(resource, want.Body), pageOf(resource, got.Body)
	extra := slices.DeleteFunc(slices.Clone(candidate.ids), func(id string) bool { return slices.Contains(reference.ids, id) })
	d := Difference{Path: resource + "[]", Kind: Extra, Known: k.Name}
	for _, id := range extra[:min(len(extra), maxUnlisted)] {
		if item := read(id); item != nil && k.Unlisted[endpoint](item) {
			d.Item, d.Got, d.Times = id, id, d.Times+1
			candidate.drop(slices.Index(candidate.ids, id))
		}
	}
	if d.Times == 0 || candidate.total-reference.total < d.Times {
		return want, got, nil
	}
	for moved := min(len(reference.ids)-len(candidate.ids), d.Times); moved > 0; moved-- {
		reference.drop(len(reference.ids) - 1)
	}
	want.Body = reference.with(resource, want.Body, want.Body)
	got.Body = candidate.with(resource, got.Body, want.Body)
	return want, got, &d
}

// page is a page of a list.
type page struct {
	items []jsontext.Value
	ids   []string
	total int
}

func pageOf(resource string, body []byte) (p page) {
	p.items = jsonscan.AsList(jsonscan.Get(body, resource))
	for _, item := range p.items {
		p.ids = append(p.ids, string(jsonscan.Get(item, idName)))
	}
	p.total, _ = strconv.Atoi(string(jsonscan.Get(body, mapping.TotalName)))
	return p
}

func (p *page) drop(i int) {
	p.items, p.ids = slices.Delete(p.items, i, i+1), slices.Delete(p.ids, i, i+1)
}

// with returns a response with the items of p in place of its own, and with the counts of another
// one, on which the link to a next page depends.
func (p *page) with(resource string, body, counts []byte) []byte {
	var members []string
	_ = jsonscan.EachMember(body, func(name string, v jsontext.Value) error { // it has items
		switch name {
		case resource:
			var items []string
			for _, item := range p.items {
				items = append(items, string(item))
			}
			v = jsontext.Value("[" + strings.Join(items, ",") + "]")
		case mapping.TotalName, mapping.TotalPagesName:
			v = jsonscan.Get(counts, name)
		case mapping.NextName:
			if jsonscan.Get(counts, name) == nil {
				return nil
			}
		}
		members = append(members, jsonscan.Quote(name)+":"+string(v))
		return nil
	})
	return []byte("{" + strings.Join(members, ",") + "}")
}
