package mapping

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// An update of the legacy is no patch: it resets fields that it does not name,
// ignores dates that come alone, and by slug it does not check who may write the
// item. So the item is read first, with the writer's credentials, and the update is
// completed with the item's fields and sent by id. [Backend.AsIs] leaves these
// fields out.

// Lookup returns the read that a call needs before it can be translated, or nil.
func (b Backend) Lookup(c *Call) (read *Call) {
	switch other := b.Dialect.Translator; {
	case other != nil:
		read = other.Lookup(c)
	case !b.Dialect.Holes || !c.Endpoint.Writes():
	case b.needsItem(c):
		read = c.ReadItem()
	default:
		read, _, _, _ = b.nextLookup(c)
	}
	if read != nil {
		read.OldNames = c.OldNames // its client may get the response
	}
	return read
}

// needsItem reports whether the item has to be read, and was not yet.
func (b Backend) needsItem(c *Call) bool {
	if c.Found != nil {
		return false
	}
	switch c.Endpoint.Action {
	case Update:
		return c.Endpoint.BySlug || slices.ContainsFunc(c.Endpoint.Fields, func(p Param) bool {
			return b.preserves(c, &p) || c.needsBeside(&p, c.Named) || c.unlinks(&p) || c.datesDraft(&p)
		})
	case Delete:
		return c.Endpoint.BySlug
	}
	return false
}

// ReadItem is the read of the item that a write is about.
func (c *Call) ReadItem() *Call {
	read := &Call{Edits: true, Endpoint: c.row(Read, c.Endpoint.BySlug), Method: http.MethodGet, Item: c.Item, Language: c.Language,
		OldNames: c.OldNames}
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
		read.Edits = false
		return read
	}
	in := Input{OldNames: c.OldNames}
	if c.Language != "" {
		in.Query.insert(Language.Name, c.Language)
	}
	list, err := Parse(c.row(List, false), http.MethodGet, in, Drop)
	if err != nil {
		panic("BUG: a list without filters: " + err.Error())
	}
	return list
}

// Opens reports whether the legacy answers the read c with more than it shows to the same
// client that only reads.
func (b Backend) Opens(c *Call) bool {
	return c.Edits && b.Dialect.Holes &&
		slices.ContainsFunc(c.row(Read, false).Params, func(p Param) bool { return p.Secret }) // a password
}

// Modified returns when an item was changed last; the zero time if unknown.
func Modified(item []byte) time.Time {
	at, _ := time.Parse(time.DateTime, jsonscan.Text(jsonscan.Get(item, modifiedUTC)))
	return at
}

// Named reports whether the call names a field.
func (c *Call) Named(name string) bool { return c.field(name) != nil }

// field returns a field of the call; nil for one that it does not name.
func (c *Call) field(name string) *Written {
	for i := range c.Fields {
		if c.Fields[i].Param.Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}

var ErrIncomplete = errors.New("the item that was looked up lacks what the write needs")

// Complete returns the call with what its Lookup found: item is the backend's
// answer, an item or a list, converted. There may be another Lookup then. The error is [Faults] where
// the item shows that the call cannot succeed, [ErrOtherItem] for an item
// that is not the requested one, and another one for a response that is no item.
func (b Backend) Complete(c *Call, item []byte) (*Call, error) {
	if other := b.Dialect.Translator; other != nil {
		return other.Complete(b, c, item)
	}
	if !b.needsItem(c) {
		return b.withTerm(c, item)
	}
	found, ok := ItemID(item)
	members, err := jsonscan.Members(item)
	if err != nil || !ok {
		return nil, ErrIncomplete
	}
	if c.Endpoint.BySlug && !sameSlug(c.Item, jsonscan.Text(members[SlugParam.Name])) {
		return nil, ErrOtherItem
	}
	done := *c
	done.Endpoint, done.Item = c.row(c.Endpoint.Action, false), b.IDs.Legacy(c.Endpoint.Resource, found)
	done.Found = item
	if c.Endpoint.Action == Update {
		if done.Fields, err = b.completed(c, members); err != nil {
			return nil, err
		}
	}
	return &done, nil
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
	params := c.Endpoint.Fields
	for i := range params {
		p := &params[i]
		switch {
		case c.unlinks(p):
			if len(jsonscan.AsList(item[p.Name])) > 0 {
				faults = append(faults, *p.fault(CodeInvalid, "unlink"))
			}
		case c.dates(p) && c.staysUndated(item):
			faults = append(faults, *p.fault(codeDate, "undated"))
		case c.Named(p.Name):
			fields = append(fields, b.asShown(*c.field(p.Name), item))
		case b.preserves(c, p):
			value, known := b.preserved(p, item)
			if p.Name == statusName && !known && len(item[p.Name]) > 0 {
				return nil, ErrIncomplete // without it the legacy publishes the item
			}
			if known && !c.publishesNow(p, item) {
				fields = append(fields, Written{Arg: Arg{p, value.text}, JSON: value.asJSON(), Preserved: true})
			}
			flags[p.Name] = known && p.Preserve == Flag
		}
	}
	for i := range params {
		p := &params[i]
		if c.needsBeside(p, func(name string) bool { return c.Named(name) || flags[name] }) {
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
	order := func(a Written) int {
		return slices.IndexFunc(params, func(p Param) bool { return p.Name == a.Param.Name })
	}
	slices.SortStableFunc(fields, func(x, y Written) int { return order(x) - order(y) })
	return fields, nil
}

// preserves reports whether the legacy would reset p. A date of publication may be named
// by either of its two fields.
func (b Backend) preserves(c *Call, p *Param) bool {
	if p.Preserve == NotPreserved || b.AsIs || c.Named(p.Name) || p.Preserve == Following && c.moves(p) {
		return false
	}
	return p.Preserve != Published || !slices.ContainsFunc(p.Moves, func(other string) bool {
		field := c.field(other)
		return field != nil && field.Param.Kind == DateTime
	})
}

// publishesNow reports whether the call publishes a scheduled item: its date of
// publication becomes now, as the legacy has it, and the scheduled one is dropped.
func (c *Call) publishesNow(p *Param, item map[string]jsontext.Value) bool {
	return p.Preserve == Published && slices.ContainsFunc(p.Moves, func(other string) bool {
		field := c.field(other)
		return field != nil && field.Text == published && jsonscan.Text(item[other]) == scheduled
	})
}

const statusName = "status"

// WordPress's statuses of items that everybody sees, and will see.
const (
	published = "publish"
	scheduled = "future"
)

// undated are the statuses in which an item may have no date of publication.
var undated = []string{"draft", "pending"}

// needsBeside reports whether p is missing beside one of the fields named.
func (c *Call) needsBeside(p *Param, named func(string) bool) bool {
	return !c.Named(p.Name) && slices.ContainsFunc(p.Beside, named)
}

// unlinks reports whether the call removes what the legacy only replaces.
func (c *Call) unlinks(p *Param) bool {
	field := c.field(p.Name)
	return p.Single && field != nil && field.JSON == noLinks
}

// preserved returns the value that an update must send so that p does not change; ok is
// false if it does not change without one.
func (b Backend) preserved(p *Param, item map[string]jsontext.Value) (v value, ok bool) {
	shown := item[p.Name]
	switch p.Preserve {
	case AsShown, Following:
		v = textValue(jsonscan.Text(shown))
	case Flag:
		if p.Kind == TextLike {
			return textValue("false"), ShownFlag(shown) == "false"
		}
		return boolean(true), ShownFlag(shown) == "true"
	case ByID:
		v = b.preservedIDs(p, shown)
	case ByValues:
		v = preservedPrice(jsonscan.Text(shown), item[p.Name+detailsSuffix])
	case Address:
		v = textValue(siteurl.Written(jsonscan.Text(shown)))
		if page := jsonscan.Text(item[PageURLName]); siteurl.SamePage([]byte(jsonscan.Text(shown)), []byte(page)) {
			return value{}, false // the legacy's default, which it does not store
		}
	case Published:
		v = textValue(jsonscan.Text(shown))
		if isUndated(item) {
			return value{}, false
		}
	}
	return v, v.text != ""
}

// ShownFlag returns a flag that an item shows as true or false: a plugin may make 1 or "1" of it, and 0 or
// "", which is false as a text of PHP.
func ShownFlag(shown jsontext.Value) string {
	if yes, ok := ParseBool(jsonscan.Text(shown)); ok || string(shown) == `""` {
		return boolean(yes).text
	}
	return string(shown)
}

// asShown returns a field that is named. A price or an address in the form that the item shows is
// sent as the item has it, since the legacy reads that form as another value.
func (b Backend) asShown(a Written, item map[string]jsontext.Value) Written {
	p := a.Param
	if (p.Preserve == ByValues || p.Preserve == Address) && !b.AsIs && a.Text == jsonscan.Text(item[p.Name]) {
		if v, ok := b.preserved(p, item); ok {
			a.Text, a.JSON = v.text, v.asJSON()
		}
	}
	return a
}

// isUndated reports whether an item has no date of publication yet. It shows when it
// was changed then, and the year 0 in UTC.
func isUndated(item map[string]jsontext.Value) bool {
	return strings.HasPrefix(jsonscan.Text(item[dateUTC.Name]), "0000")
}

// dates reports whether p is a date of publication that the call names.
func (c *Call) dates(p *Param) bool {
	return p.Kind == DateTime && p.Zone != EventZone && c.Named(p.Name)
}

// datesDraft reports whether the call names a date of publication and a status with which an item may
// have none.
func (c *Call) datesDraft(p *Param) bool {
	status := c.field(statusName)
	return c.dates(p) && status != nil && slices.Contains(undated, status.Text)
}

// staysUndated reports whether an item has no date of publication, and an update that does not
// publish it. The legacy ignores a date then (recordings update-dates-of-draft-*,
// update-dates-of-pending-*).
func (c *Call) staysUndated(item map[string]jsontext.Value) bool {
	status := jsonscan.Text(item[statusName])
	if a := c.field(statusName); a != nil {
		status = a.Text
	}
	return isUndated(item) && slices.Contains(undated, status)
}

// preservedIDs returns the ids of an object or a list of them, in the type of p.
func (b Backend) preservedIDs(p *Param, shown jsontext.Value) value {
	var ids []string
	for _, item := range jsonscan.AsList(shown) {
		if found, ok := linkedID(item); ok {
			ids = append(ids, b.IDs.Legacy(p.names(), found))
		}
	}
	if p.Kind == Links {
		return jsonList(ids)
	}
	return textValue(strings.Join(ids, ","))
}
