package mapping

// Class is the kind of an attribute of a response, and selects how rewriting changes the attribute.
type Class uint8

// The classes. An attribute that a shape does not name is Other.
const (
	Plain        Class = iota // numbers, booleans, dates, codes: copied
	Prose                     // people's own words: never touched, whatever they contain
	Object                    // an object, a list of objects, or neither, of the attribute's Shape
	RestLink                  // a URL of the REST interface
	PageLink                  // a URL of the site: page, image, term page
	Website                   // people's own URL; empty if there is no URL and the legacy sends the item's page
	Taxonomy                  // a machine name that contains the vendor's name
	Relations                 // _links: relations with their targets
	ThisPage                  // a list's link to the same page
	NextPage                  // a list's link to the page after
	PreviousPage              // a list's link to the page before
	Parent                    // the id of a term's parent
	Email                     // an address; the legacy, to hide it, writes some of its characters as HTML entities
	Other                     // unknown to the table: copied, but for whole values that are REST links
	Message                   // the message of an error: likewise, and REST links inside the text are changed too
)

// Type is the JSON type of an attribute, as documented.
type Type uint8

// The types. PHP writes an object without members as an empty list, so that some types permit that form too.
const (
	String       Type = iota
	Digits            // a whole number as a string
	DayTime           // a string: YYYY-MM-DD hh:mm:ss
	Whole             // a whole number
	Bool              // true or false
	Strings           // a list of strings
	Single            // an object
	SingleOrNone      // an object, or false
	Several           // a list of objects
	OneOrSeveral      // an object, or a list, also empty
	Named             // an object whose names are data, each value of the Shape; or an empty list
	NamedLists        // likewise, each value a list of objects of the Shape
	Free              // an object that other plugins make, or an empty list
	Hidden            // a string, or an empty list if a password hides the text
)

// Attribute is one named value of a response.
type Attribute struct {
	Name     string
	Class    Class
	Shape    *Shape   // of an Object
	Resource string   // of an Object that is an item with an id; "" for another Object
	Type     Type     // as documented
	Null     bool     // may be null
	Optional bool     // may be left out
	Own      bool     // differs between installations: the time of the import, the number of a row
	HTML     bool     // a text in HTML: with entities, and maybe tags
	Mark     bool     // every recorded object of the shape has the attribute; see [Shape.Marks]
	When     bool     // a part of when an event is
	Repeats  []string // members of the same item that the attribute shows in another form
	Text     string   // key of its description, where several share one; "" for the derived key
}

// Orders reports whether the place of an item in a list may depend on the attribute, as the place of
// an event does on its dates.
func (a *Attribute) Orders() bool { return a.When && a.Type == DayTime && a.Repeats == nil }

// IsList reports whether the attribute may be a list of objects.
func (a *Attribute) IsList() bool { return a.Type == Several || a.Type == OneOrSeveral }

// Shape is an object in a response of the legacy.
type Shape struct {
	Name       string
	Attributes []Attribute
	Rest       *Attribute // for attributes not named above; nil for Other
	Text       string     // key of its description, where several share one; "" for the derived key

	// Marks has a bit for each attribute that is a Mark, by index. Marks are few: a plugin of the site may
	// remove any other attribute, and JSON from a firewall has no Mark.
	Marks uint64
}

func shape(name string, attributes ...Attribute) *Shape {
	s := &Shape{Name: name, Attributes: attributes}
	for i := range attributes {
		if attributes[i].Mark {
			s.Marks |= 1 << i
		}
	}
	return s
}

// OtherAttribute is an attribute that the table does not name.
var OtherAttribute = Attribute{Class: Other}

// Find returns the attribute of a name. next is the index to look at first, and then
// the index of the name after: the legacy sends attributes in the order of the shape.
func (s *Shape) Find(name []byte, next int) (*Attribute, int) {
	if s == nil {
		return &OtherAttribute, 0
	}
	for i := range s.Attributes {
		index := (next + i) % len(s.Attributes)
		a := &s.Attributes[index]
		if a.Name == string(name) {
			return a, index + 1
		}
	}
	if s.Rest != nil {
		return s.Rest, next
	}
	return &OtherAttribute, next
}
