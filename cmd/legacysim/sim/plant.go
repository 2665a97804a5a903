package sim

// PlantKind is a way in which a second site can differ from the first.
type PlantKind string

// The kinds. Those of a list need no id.
const (
	PlantMissing PlantKind = "missing" // the item is in no list and cannot be read
	PlantExtra   PlantKind = "extra"   // an item that the first site does not have
	PlantNoField PlantKind = "nofield" // a field is left out
	PlantType    PlantKind = "type"    // a field has another JSON type
	PlantValue   PlantKind = "value"   // a field has another value
	PlantOrder   PlantKind = "order"   // every page of the list runs backwards
	PlantTotal   PlantKind = "total"   // the list counts more items than there are
)

// Plant is a difference that a site is seeded with. It shows in answers to reads of
// the item itself and of lists of its resource, and in nothing else: not in representations of
// the item inside others, nor in counts of terms. So one plant is one difference, but
// for a missing or extra item, which the total of its list shows too. An extra term
// has no events: only lists with hide_empty=false have it.
type Plant struct {
	Kind     PlantKind
	Resource string // events, venues, organizers, categories or tags; "" for any
	Language string // "" for any
	ID       int    // of the item; 0 for any that has no plant yet. That of an extra item is the next that is free
	Field    string // its name in answers; "" for one that every item has
	Seed     uint64 // what chooses where something is left to choose
}

// SomePlants returns n plants of all kinds in turn, with everything else left open. Those
// of lists come up to five times each: there are few lists.
func SomePlants(n int, seed uint64) []Plant {
	const ofLists = 5
	kinds := []PlantKind{PlantMissing, PlantExtra, PlantNoField, PlantType, PlantValue, PlantOrder, PlantTotal}
	plants := make([]Plant, n)
	for i := range plants {
		kind := kinds[i%len(kinds)]
		if i >= ofLists*len(kinds) {
			kind = kinds[i%(len(kinds)-2)]
		}
		plants[i] = Plant{Kind: kind, Seed: seed<<32 + uint64(i)}
	}
	return plants
}

// place is what has room for one plant: an item, or a list for one of each kind.
func (p Plant) place() Plant {
	at := Plant{Language: p.Language, Resource: p.Resource, ID: p.ID}
	if p.ID == 0 {
		at.Kind = p.Kind
	}
	return at
}
