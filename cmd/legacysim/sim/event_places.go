package sim

import (
	"slices"

	"github.com/calfacade/calfacade/mapping"
)

// Venues and organizers of an event can be ids, or objects with the fields of new
// ones. The two differ where one would not think so: of the organizers there can be
// several, and a single object counts as a list of its values.

// isPlaceInput accepts empty values, ids of items of the resource, objects, and a list of these.
func isPlaceInput(resource string) check {
	return func(c *call, v any) error {
		items, isList := v.([]any)
		if !isList {
			return isPlaceItem(c, v, resource)
		}
		for _, item := range items {
			if _, deeper := item.([]any); deeper || isPlaceItem(c, item, resource) != nil {
				return errInvalid
			}
		}
		return nil
	}
}

func isPlaceItem(c *call, v any, resource string) error {
	item, isObject := v.(map[string]any)
	id, hasID := item["id"]
	switch {
	case isEmpty(v), hasID && isEmpty(id):
		return nil
	case hasID:
		return arePosts(kindOf[resource])(c, id)
	case isObject:
		return isNewPlace(c, item, resource)
	}
	return arePosts(kindOf[resource])(c, v)
}

// isNewPlace checks the fields of an object as those of a new item, but lets its name
// be empty.
func isNewPlace(c *call, item map[string]any, resource string) error {
	for _, f := range argsOf(mapping.RowOf(resource, mapping.Create, false)) {
		v, there := item[f.name]
		switch {
		case f.required && !there:
			return errInvalid
		case !there, v == nil, f.required && v == "":
		case c.refused(f, v) != nil, c.mistyped(f, v) != nil:
			return errInvalid
		}
	}
	return nil
}

// writtenVenue returns the id of the venue in a request, or 0. A list is refused, even
// of one.
func (c *call) writtenVenue(v any) (int, error) {
	switch _, isList := v.([]any); {
	case isEmpty(v):
		return 0, nil
	case isList:
		return 0, venueDef.failed(c)
	}
	id, err := c.writtenPlace(venueDef, v)
	if err == nil && id == 0 {
		err = venueDef.failed(c)
	}
	return id, err
}

// writtenOrganizers returns the ids of the organizers in a request, each once.
func (c *call) writtenOrganizers(v any) ([]int, error) {
	var ids []int
	for _, item := range elements(v) {
		if isEmpty(item) {
			continue
		}
		id, err := c.writtenPlace(organizerDef, item)
		if err == nil && id == 0 {
			err = organizerDef.failed(c)
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// writtenPlace returns the id in a request, that of a new item, or 0 if it is
// neither.
func (c *call) writtenPlace(d placeDef, v any) (int, error) {
	item, isObject := v.(map[string]any)
	if !isObject {
		id, _ := number(v)
		return id, nil
	}
	if in := params(item); !isEmpty(in["id"]) {
		return in.int("id"), nil
	}
	if isEmpty(item[d.name]) {
		return 0, nil
	}
	p, err := d.make(c, item)
	if err != nil {
		return 0, err
	}
	return p.id, nil
}
