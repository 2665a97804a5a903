package survey

import (
	"hash/fnv"
	"strings"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/crawl"
)

// cell is a resource in a language, the unit of a survey.
type cell struct {
	language string
	list     *mapping.Call // the first page of it
}

func (c cell) resource() string { return c.list.Endpoint.Resource }

func (c cell) String() string { return c.language + " " + c.resource() }

// cellsOf returns the cells of the languages, in the order of the table.
func cellsOf(languages []string) []cell {
	var all []cell
	for _, language := range languages {
		for _, list := range crawl.Lists() {
			all = append(all, cell{language, list})
		}
	}
	return all
}

// named are the names by which an item can be read.
type named struct {
	ID, Slug string

	place   []byte // see [crawl.Listed.Place]
	missing bool   // in the candidate's list
}

// sampled reports whether an item belongs to a sample of about so many items of total;
// 0 samples all. The choice is deterministic.
func sampled(c cell, id string, sample, total int) bool {
	if sample == 0 || total <= sample {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.String() + " " + id)) // a hash never fails
	return int(h.Sum64()%uint64(total)) < sample
}

// LineOf returns the path and query of a call.
func LineOf(c *mapping.Call) string {
	if query := c.Canonical(); query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}

// cut returns a copy of the beginning of a text, in bytes.
func cut(s string, most int) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), most)], ""))
}
