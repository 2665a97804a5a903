package rewrite

import (
	"errors"
	"net/http"

	"github.com/calfacade/calfacade/mapping"
)

// Result is a body in the names that the client speaks.
type Result struct {
	Body  []byte
	ID    string         // of the item, if the response is an item
	Shows []mapping.Item // the items inside, each once
	Count Count          // of a list

	listed   bool // the list has its items
	paged    bool // the list has the number of pages
	marked   bool // the last object has the marks of the shape: at the end, the whole body
	unmarked bool // an item of a list lacks the marks
}

// Check returns an error unless a success has the attributes of every recorded success, and so is no response
// of a firewall or of a plugin in front of the API: a list has items, counts and links, and an item has the
// requested id. Both, and each item of a list, have the marks of the shape (see [mapping.Shape]). A deleted
// item must not remain.
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

// Count is the size of a list, from the header or the body.
type Count struct {
	Known        bool
	Total, Pages int
}

// errNotTheResult is the error of a success that lacks attributes that the table's shape has in all recordings.
var errNotTheResult = errors.New("the answer is JSON, and not what was asked for: a list without its items, counts or links, " +
	"an item without its id, name or links, another item, or nothing deleted")

// ErrNotJSON reports that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")
