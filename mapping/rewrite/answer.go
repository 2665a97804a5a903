package rewrite

import (
	"errors"

	"github.com/calfacade/calfacade/mapping"
)

// Result is a body in the neutral namespace.
type Result struct {
	Body  []byte
	ID    string         // of the item, where the response is one
	Shows []mapping.Item // what is inside, each once
	Count Count          // of a list
	Delta []byte         // turns Body into its legacy form; see [LegacyForm]; nil without [Spellings.Legacy]
}

// Count is the size of a list, as its header or body has it.
type Count struct {
	Known        bool
	Total, Pages int
}

// note stores a count of a list.
func (c *Count) note(name string, number []byte) {
	switch name {
	case mapping.TotalName:
		c.Known, c.Total = true, mapping.ParseCount(string(number))
	case mapping.TotalPagesName:
		c.Pages = mapping.ParseCount(string(number))
	}
}

// errNotAnObject is the error of a success that is no object, as the responses of all rows
// of the table are.
var errNotAnObject = errors.New("the answer is no JSON object")

// ErrNotJSON reports that the legacy answered with something else than one JSON
// value, such as an HTML page or a PHP warning before the JSON.
var ErrNotJSON = errors.New("the answer is not JSON")
