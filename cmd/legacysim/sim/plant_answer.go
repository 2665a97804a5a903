package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// wrongTotal is the number of items that a list counts in excess.
const wrongTotal = 1000

// showPlants changes the answer to a read as was planted.
func (c *call) showPlants(a *answer) {
	body, isObject := a.body.(object)
	if len(c.blog.planted) == 0 || !isObject {
		return
	}
	resource, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(c.root.path, "/"+namespace+"/")), "/")
	if !a.list {
		a.body = c.blog.showInItem(resource, body)
		return
	}
	items, _ := body.get(resource).(list)
	for i := range items {
		items[i] = c.blog.showInItem(resource, items[i].(object))
	}
	for _, p := range c.blog.planted[plantedAt{resource, 0}] {
		switch p.Kind {
		case PlantOrder:
			slices.Reverse(items)
		case PlantTotal:
			a.total += wrongTotal
			body.set("total", a.total)
		}
	}
}

func (b *blog) showInItem(resource string, item object) object {
	id, _ := item.get("id").(int)
	if id == 0 {
		return item
	}
	for _, p := range b.planted[plantedAt{resource, id}] {
		switch p.Kind {
		case PlantNoField:
			item = item.without(p.Field)
		case PlantType:
			item.set(p.Field, otherType(item.get(p.Field)))
		case PlantValue:
			item.set(p.Field, otherValue(item.get(p.Field)))
		}
	}
	return item
}

// otherType is a value of another JSON type.
func otherType(v any) any {
	if _, isText := v.(string); isText {
		return nil
	}
	return fmt.Sprint(v)
}

// otherValue is another value of the same type.
func otherValue(v any) any {
	switch v := v.(type) {
	case int:
		return v + 1
	case bool:
		return !v
	case string:
		if at, err := time.Parse(dateTime, v); err == nil {
			return at.AddDate(0, 0, 1).Format(dateTime)
		}
		return v + " (planted)"
	}
	return v
}
