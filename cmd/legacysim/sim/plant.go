package sim

import (
	"fmt"
	"time"
)

// PlantKind is a way in which a second site can differ from the first.
type PlantKind string

// The kinds. Kinds of a list need no id.
const (
	PlantMissing PlantKind = "missing" // the item is in no list and cannot be read
	PlantNoField PlantKind = "nofield" // a field is left out
	PlantType    PlantKind = "type"    // a field has another JSON type
	PlantValue   PlantKind = "value"   // a field has another value
	PlantOrder   PlantKind = "order"   // every page of the list runs backwards
	PlantTotal   PlantKind = "total"   // the list counts more items than there are
)

// Plant is a difference that a site is seeded with. A plant shows in answers to reads of the item and of
// lists of the resource, and nowhere else: not in representations of the item inside others, nor in counts of
// terms. So one plant is one difference, but for a missing item, which the total of the list shows too.
type Plant struct {
	Kind     PlantKind
	Resource string // events, venues, organizers, categories or tags; "" for any
	Language string // "" for any
	ID       int    // of the item; 0 for any that has no plant yet
	Field    string // the name in answers; "" chooses a field that every item has
	Seed     uint64 // of the random choices of empty fields
}

// SomePlants returns n plants of all kinds in turn, with everything else left open.
func SomePlants(n int, seed uint64) []Plant {
	plants := make([]Plant, n)
	for i := range plants {
		plants[i] = Plant{Kind: plantKinds[i%len(plantKinds)], Seed: seed<<32 + uint64(i)}
	}
	return plants
}

// wrongTotal is the number of items that a list counts in excess.
const wrongTotal = 1000

// show changes the item of the plant, and leaves others unchanged.
func (p Plant) show(item object) object {
	if item.get("id") != p.ID {
		return item
	}
	v := item.get(p.Field)
	switch p.Kind {
	case PlantNoField:
		return item.without(p.Field)
	case PlantType:
		item.set(p.Field, otherType(v))
	case PlantValue:
		item.set(p.Field, otherValue(v))
	}
	return item
}

// otherType is a value of another JSON type.
func otherType(v any) any {
	if _, ok := v.(string); ok {
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
		if t, err := time.Parse(dateTime, v); err == nil {
			return t.AddDate(0, 0, 1).Format(dateTime)
		}
		return v + " (planted)"
	}
	return v
}

var plantKinds = []PlantKind{PlantMissing, PlantNoField, PlantType, PlantValue, PlantOrder, PlantTotal}
