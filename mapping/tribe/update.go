package tribe

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// An update of the legacy is no patch: the legacy resets fields that the update does not name, ignores a date
// without the other one, and does not check by slug who may write the item. So the item is read first, with the
// writer's credentials, and the update is completed with the item's fields and sent by id. [mapping.API]'s
// AsIs leaves these fields out.

// needsItem reports whether the item has to be read.
func (b backend) needsItem(c *mapping.Call) bool {
	switch c.Endpoint.Action {
	case mapping.Update:
		return c.Endpoint.BySlug || slices.ContainsFunc(c.Endpoint.Fields, func(p *mapping.Param) bool {
			return b.preserves(c, p) || needsBeside(c, p, c.Named) || unlinks(c, p) || datesDraft(c, p)
		})
	case mapping.Delete:
		return c.Endpoint.BySlug
	}
	return false
}

// withItem returns the call with the item to write.
func (b backend) withItem(c *mapping.Call, item []byte) (*mapping.Call, error) {
	done, members, err := b.ByID(c, item)
	switch {
	case err != nil:
		return nil, err
	case c.Endpoint.BySlug && !mapping.SameSlug(c.Item, jsonscan.Text(members[mapping.SlugParam.Name])):
		return nil, mapping.ErrOtherItem
	case c.Endpoint.Action == mapping.Update:
		done.Fields, err = b.completed(c, members)
	}
	return done, err
}

// completed returns the fields of an update, in the table's order, with the fields of
// the item that the legacy would reset or needs beside them.
func (b backend) completed(c *mapping.Call, item map[string]jsontext.Value) ([]mapping.Written, error) {
	var fields []mapping.Written
	var faults mapping.Faults
	flags := map[string]bool{}
	for _, p := range c.Endpoint.Fields {
		switch {
		case unlinks(c, p):
			if len(jsonscan.AsList(item[p.Name])) > 0 {
				faults = append(faults, *p.Fault(mapping.CodeInvalid, "unlink"))
			}
		case namesDate(c, p) && staysUndated(c, item):
			faults = append(faults, *p.Fault(mapping.CodeDate, "undated"))
		case c.Named(p.Name):
			fields = append(fields, b.asShown(*c.Field(p.Name), item))
		case b.preserves(c, p):
			value, ok := b.preserved(p, item)
			if b.unreadable(p, item[p.Name]) {
				return nil, mapping.ErrIncomplete
			}
			if ok && !publishesNow(c, p, item) {
				fields = append(fields, mapping.Written{
					Arg:       mapping.Arg{Param: p, Text: value.text},
					JSON:      value.json,
					Preserved: true,
					Lossy:     value.lossy,
				})
			}
			flags[p.Name] = ok && p.Kind == mapping.Boolean
		case needsBeside(c, p, func(name string) bool { return c.Named(name) || flags[name] }): // the flag comes before
			text := jsonscan.Text(item[p.Name])
			if text == "" {
				return nil, mapping.ErrIncomplete
			}
			fields = append(fields, mapping.Written{Arg: mapping.Arg{Param: p, Text: text}, JSON: jsonscan.Quote(text), Preserved: true})
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return fields, nil
}
