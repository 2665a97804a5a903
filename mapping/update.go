package mapping

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// An update of the legacy is no patch: it resets fields that it does not name,
// ignores dates that come alone, and by slug it does not check who may write the
// item. So the item is read first, with the writer's credentials, and the update is
// completed with the item's fields and sent by id. [Backend.AsIs] leaves these
// fields out.

// A Reader makes a read that a call needs before it can be translated, and returns the body of the
// response, converted: an item or a list. An error ends [Backend.Prepare].
type Reader func(read *Call) (body []byte, err error)

// Prepare returns the call that can be translated, with what the reads that it needs find. It does nothing
// with a call that is prepared. The error is one of read, [Faults] where an item shows that the call cannot
// succeed, [ErrOtherItem] for an item that is not the requested one, and another one for a response that is
// no item.
func (b Backend) Prepare(c *Call, read Reader) (*Call, error) {
	prepare := b.prepare
	switch other := b.Dialect.Translator; {
	case c.Prepared, other == nil && !(b.Dialect.Holes && c.Endpoint.Writes()):
		return c, nil
	case other != nil:
		prepare = func(c *Call, read Reader) (*Call, error) { return other.Prepare(b, c, read) }
	}
	found, err := prepare(c, func(lookup *Call) ([]byte, error) {
		lookup.OldNames = c.OldNames // its client may get the response
		return read(lookup)
	})
	if err != nil {
		return nil, err
	}
	done := *found
	done.Prepared = true
	return &done, nil
}

// prepare prepares a write to the legacy.
func (b Backend) prepare(c *Call, read Reader) (*Call, error) {
	if b.needsItem(c) {
		item, err := read(c.ReadItem())
		if err == nil {
			c, err = b.withItem(c, item)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.withTerms(c, read)
}

// FirstRead returns the first read that a call needs; nil if it needs none.
func (b Backend) FirstRead(c *Call) (first *Call) {
	_, _ = b.Prepare(c, func(read *Call) ([]byte, error) {
		first = read
		return nil, ErrIncomplete
	})
	return first
}

// needsItem reports whether the item has to be read.
func (b Backend) needsItem(c *Call) bool {
	switch c.Endpoint.Action {
	case Update:
		return c.Endpoint.BySlug || slices.ContainsFunc(c.Endpoint.Fields, func(p *Param) bool {
			return b.preserves(c, p) || c.needsBeside(p, c.Named) || c.unlinks(p) || c.datesDraft(p)
		})
	case Delete:
		return c.Endpoint.BySlug
	}
	return false
}

// ReadItem is the read of the item that a write is about.
func (c *Call) ReadItem() *Call {
	read := &Call{Edits: true, Endpoint: c.Row(Read, c.Endpoint.BySlug), Method: http.MethodGet, Item: c.Item, Language: c.Language}
	for _, a := range c.Query {
		if a.Param.Secret || a.Param == &Language {
			read.Query = append(read.Query, a)
		}
	}
	return read
}

// Target returns the read of the subject of a write, as a client makes it: of its path,
// without parameters but the language and a password. Of a create that is the list.
func (c *Call) Target() *Call {
	if c.Item != "" {
		read := c.ReadItem()
		read.Edits, read.OldNames = false, c.OldNames
		return read
	}
	in := Input{OldNames: c.OldNames}
	if c.Language != "" {
		in.Query.insert(Language.Name, c.Language)
	}
	list, err := Parse(c.Row(List, false), http.MethodGet, in, Drop)
	if err != nil {
		panic("BUG: a list without filters: " + err.Error())
	}
	return list
}

// Opens reports whether the legacy answers the read c with more than it shows to the same
// client that only reads.
func (b Backend) Opens(c *Call) bool {
	return c.Edits && b.Dialect.Holes &&
		slices.ContainsFunc(c.Row(Read, false).Params, func(p *Param) bool { return p.Secret }) // a password
}

// Modified returns when an item was changed last; the zero time if unknown.
func Modified(item []byte) time.Time {
	at, _ := time.Parse(time.DateTime, jsonscan.Text(jsonscan.Get(item, ModifiedUTCName)))
	return at
}

// Named reports whether the call names a field.
func (c *Call) Named(name string) bool { return c.Field(name) != nil }

// field returns a field of the call; nil for one that it does not name.
func (c *Call) Field(name string) *Written {
	for i := range c.Fields {
		if c.Fields[i].Param.Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}

var ErrIncomplete = errors.New("the item that was looked up lacks what the write needs")

// withItem returns the call with the item that it writes.
func (b Backend) withItem(c *Call, item []byte) (*Call, error) {
	done, members, err := b.ByID(c, item)
	switch {
	case err != nil:
		return nil, err
	case c.Endpoint.BySlug && !SameSlug(c.Item, jsonscan.Text(members[SlugParam.Name])):
		return nil, ErrOtherItem
	case c.Endpoint.Action == Update:
		done.Fields, err = b.completed(c, members)
	}
	return done, err
}

// ByID returns a call by the id of the item that it is about, which a backend shows, and the members of the item.
func (b Backend) ByID(c *Call, item []byte) (*Call, map[string]jsontext.Value, error) {
	id, ok := ItemID(item)
	members, err := jsonscan.Members(item)
	if err != nil || !ok {
		return nil, nil, ErrIncomplete
	}
	done := *c
	done.Endpoint, done.Item, done.Found = c.Row(c.Endpoint.Action, false), b.IDs.Legacy(c.Endpoint.Resource, id), item
	return &done, members, nil
}

// ErrOtherItem reports that a backend answered a call by slug with an item that has
// another slug.
var ErrOtherItem = errors.New("the item has another slug")

// completed returns the fields of an update, in the table's order, with the fields of
// the item that the legacy would reset or needs beside them.
func (b Backend) completed(c *Call, item map[string]jsontext.Value) ([]Written, error) {
	var fields []Written
	var faults Faults
	flags := map[string]bool{}
	for _, p := range c.Endpoint.Fields {
		switch {
		case c.unlinks(p):
			if len(jsonscan.AsList(item[p.Name])) > 0 {
				faults = append(faults, *p.Fault(CodeInvalid, "unlink"))
			}
		case c.dates(p) && c.staysUndated(item):
			faults = append(faults, *p.Fault(CodeDate, "undated"))
		case c.Named(p.Name):
			fields = append(fields, b.asShown(*c.Field(p.Name), item))
		case b.preserves(c, p):
			value, known := b.preserved(p, item)
			if b.unreadable(p, item[p.Name]) {
				return nil, ErrIncomplete
			}
			if known && !c.publishesNow(p, item) {
				fields = append(fields, Written{Arg: Arg{p, value.text}, JSON: value.asJSON(), Preserved: true, Lossy: value.lossy})
			}
			flags[p.Name] = known && p.Kind == Boolean
		case c.needsBeside(p, func(name string) bool { return c.Named(name) || flags[name] }): // the flag comes before
			text := jsonscan.Text(item[p.Name])
			if text == "" {
				return nil, ErrIncomplete
			}
			fields = append(fields, Written{Arg: Arg{p, text}, JSON: jsonscan.Quote(text), Preserved: true})
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return fields, nil
}
