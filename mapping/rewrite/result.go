package rewrite

import (
	"errors"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// Result is a body in the names that the client speaks.
type Result struct {
	Body  []byte
	ID    string         // of the item, where the response is one
	Shows []mapping.Item // the items inside, each once
	Count Count          // of a list

	listed   bool // the items of a list are there
	paged    bool // and the number of its pages
	marked   bool // the object that was read last has the marks of its shape: at the end, the whole body
	unmarked bool // an item of a list lacks them
}

// Check returns an error unless a success has what every recorded one has, so that it is no answer of a
// firewall or of a plugin in front of the API: a list its items, their number and its links, and an item the
// id that was asked for. Both, and each item of a list, have the marks of their shapes (see [mapping.Shape]).
// A deleted item must not remain.
func (r *Result) Check(c *mapping.Call, status int) error {
	_, isID := mapping.ParseID(r.ID)
	switch e := c.Endpoint; {
	case status >= http.StatusBadRequest:
		return nil
	case !r.marked, r.unmarked && !c.Scans(),
		e.Action == mapping.List && (!r.listed || !r.Count.Known || !r.paged),
		e.Action != mapping.List && (!isID || c.Item != "" && !e.BySlug && c.Item != r.ID),
		e.Action == mapping.Delete && mapping.Remains(r.Body):
		return errNotTheResult
	}
	return nil
}

// Count is the size of a list, as its header or body has it.
type Count struct {
	Known        bool
	Total, Pages int
}

// errNotTheResult is the error of a success that lacks what the table's shape has in all
// recordings.
var errNotTheResult = errors.New("the answer is JSON, and not what was asked for: a list without its items, counts or links, " +
	"an item without its id, name or links, another item, or nothing deleted")

// ErrNotJSON reports that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")
