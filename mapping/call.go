package mapping

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Call is a request in its canonical form: checked, sorted, defaults filled in.
type Call struct {
	Endpoint *Endpoint
	Method   string    // as the client sent it
	Item     string    // id or slug; "" for a collection
	Language string    // value of i18n_language; "" without it
	Query    []Arg     // sorted by name, with the defaults of absent parameters
	Fields   []Written // of a write, in the table's order

	OldNames bool // the client speaks the legacy's names: the response is as the legacy would send it; see legacy_names.go

	Edits bool   // reads an item that is to be written
	Found []byte // of a write: the item before it, where a backend needs that read
}

// Arg is a parameter with its value.
type Arg struct {
	Param *Param
	Text  string // canonical
}

// Written is a field of a write with its value.
type Written struct {
	Arg
	JSON      string    // in the legacy's type
	Checked   bool      // the ids of its terms exist; see terms.go
	Done      int       // how many of its terms were looked up; see terms.go
	Preserved bool      // sent along, for the legacy would reset it; the client did not name it
	At        time.Time // of a date that was an instant: which; see [Backend.InLocalTime]
}

// IsDefault reports whether the value is the default of the table.
func (a Arg) IsDefault() bool { return a.Param.Default != "" && a.Text == a.Param.Default }

func (c *Call) Argument(p *Param) (Arg, bool) {
	for _, a := range c.Query {
		if a.Param == p {
			return a, true
		}
	}
	return Arg{}, false
}

// Value returns the canonical text of a parameter of the query, by name; "" for
// one that has none.
func (c *Call) Value(name string) string {
	for _, a := range c.Query {
		if a.Param.Name == name {
			return a.Text
		}
	}
	return ""
}

// lifts reports whether p means nothing in this call.
func (c *Call) lifts(p *Param) bool {
	return !c.OldNames && p.LiftedBy != "" && c.Value(p.LiftedBy) != ""
}

// lift drops what means nothing.
func (c *Call) lift() {
	c.Query = slices.DeleteFunc(c.Query, func(a Arg) bool { return c.lifts(a.Param) })
}

// Secret reports whether the call carries a secret of its own, such as the
// password of an event. Its response must not be shared.
func (c *Call) Secret() bool {
	for _, a := range c.Query {
		if a.Param.Secret {
			return true
		}
	}
	return false
}

// Rooted is the call as the root of the language code answers it: naming that
// language there has no effect. Calls that get the same response are the same call.
func (c *Call) Rooted(code string) *Call {
	if c.Language != code {
		return c
	}
	rooted := *c
	rooted.Language = ""
	rooted.Query = slices.DeleteFunc(slices.Clone(c.Query), func(a Arg) bool { return a.Param == &Language })
	return &rooted
}

// Neutral is the call with its response in neutral names.
func (c *Call) Neutral() *Call {
	neutral := *c
	neutral.OldNames = false
	return &neutral
}

// Masked is the call with its secrets made unreadable, to be shown.
func (c *Call) Masked() *Call {
	masked := *c
	masked.Query = slices.Clone(c.Query)
	for i := range masked.Query {
		if a := &masked.Query[i]; a.Param.Secret {
			a.Text = "***"
		}
	}
	return &masked
}

// Page returns the page number of a list call, from 1.
func (c *Call) Page() int {
	n, err := strconv.Atoi(c.Value(PageParam.Name))
	if err != nil {
		return 1
	}
	return n
}

// SmallestList is a call that reads one item of the first list of the table, to
// see whether the legacy responds.
func SmallestList() *Call {
	for i := range Table {
		if e := &Table[i]; e.Action == List {
			for j := range e.Params {
				if p := &e.Params[j]; p.Name == perPage.Name {
					return &Call{Endpoint: e, Method: http.MethodGet, Query: []Arg{{Param: p, Text: "1"}}}
				}
			}
		}
	}
	panic("BUG: the table has no list")
}
