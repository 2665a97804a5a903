package mapping

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// ReadItem is the read of the item that a write changes.
func (c *Call) ReadItem() *Call {
	lookup := &Call{Edits: true, Endpoint: c.Row(Read, c.Endpoint.BySlug), Method: http.MethodGet, Item: c.Item, Language: c.Language}
	for _, a := range c.Query {
		if a.Param.Secret || a.Param == &Language {
			lookup.Query = append(lookup.Query, a)
		}
	}
	return lookup
}

// Target returns a client's read of the subject of a write: of the same path, with no parameters but the
// language and a password. For a create that is the list.
func (c *Call) Target() *Call {
	if c.Item != "" {
		lookup := c.ReadItem()
		lookup.Edits = false
		lookup.InLegacyNames = c.InLegacyNames
		return lookup
	}
	input := Input{InLegacyNames: c.InLegacyNames}
	if c.Language != "" {
		input.Query.insert(Language.Name, c.Language)
	}
	list, err := Parse(c.Row(List, false), http.MethodGet, input, Drop)
	if err != nil {
		panic("BUG: a list without filters: " + err.Error())
	}
	return list
}

// Modified returns the time of the last change of an item; the zero time if unknown.
func Modified(item []byte) time.Time {
	modified, _ := time.Parse(time.DateTime, jsonscan.Text(jsonscan.Get(item, ModifiedUTCName)))
	return modified
}

// Named reports whether the call names a field.
func (c *Call) Named(name string) bool { return c.Field(name) != nil }

// field returns a field of the call; nil for a field that the call does not name.
func (c *Call) Field(name string) *Written {
	for i := range c.Fields {
		if c.Fields[i].Param.Name == name {
			return &c.Fields[i]
		}
	}
	return nil
}

// ShowsMore reports whether the response to a read of an item for an edit may have more than the response to
// the same client's plain read: only editors see an item with a password.
func (c *Call) ShowsMore() bool {
	return c.Edits && slices.ContainsFunc(c.Row(Read, false).Params, func(p *Param) bool { return p.Secret })
}

// ByID returns a call by the id of item, the item of the call in a backend's response, and the members of the item.
func (b API) ByID(c *Call, item []byte) (*Call, map[string]jsontext.Value, error) {
	id, ok := ItemID(item)
	members, err := jsonscan.Members(item)
	if err != nil || !ok {
		return nil, nil, ErrIncomplete
	}
	done := *c
	done.Endpoint = c.Row(c.Endpoint.Action, false)
	done.Item = b.IDs.Legacy(c.Endpoint.Resource, id)
	done.Found = item
	return &done, members, nil
}

// StatusName is the field with the status of an item.
const StatusName = "status"

// ShownFlag returns a flag that an item shows as true or false: a plugin may turn true into 1 or "1", and false
// into 0 or "", which is PHP's text for false.
func ShownFlag(flag jsontext.Value) string {
	if yes, ok := ParseBool(jsonscan.Text(flag)); ok || string(flag) == `""` {
		return boolean(yes).text
	}
	return string(flag)
}

// HasSlug reports whether an item has the slug that a text names.
func HasSlug(text string, item jsontext.Value) bool {
	return SameSlug(text, jsonscan.Text(jsonscan.Get(item, SlugParam.Name)))
}

// NameField is the field that every item of a resource must have: the name.
func NameField(resource string) string {
	fields := FieldsOf(resource)
	return fields[slices.IndexFunc(fields, func(p *Param) bool { return p.Required })].Name
}

// Losses returns the faults of an update if the client accepts no drift: fields that the update does not name
// and may change; nil without such fields.
func (c *Call) Losses() error {
	var faults Faults
	for _, a := range c.Fields {
		if a.Lossy {
			faults = append(faults, *a.Param.Fault(CodeInvalid, "lossy"))
		}
	}
	if faults == nil {
		return nil
	}
	return faults
}
