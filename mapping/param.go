package mapping

import "time"

// In is the part of the request that has a parameter.
type In uint8

// The parts of a request. A field of a write is read from the body and, as
// the legacy does, from the query where the body does not name it.
const (
	InQuery In = iota
	InPath
	InBody
)

// Param is a parameter or a field.
type Param struct {
	Name        string    // the neutral name
	Kind        Kind      // how it is read, checked and sent
	In          In        // part of the request
	Default     string    // canonical text of the default; "" for none
	Generated   Generated // the default that the legacy makes from the clock
	Null        bool      // the default is null: absent, or in an update empty
	Required    bool      // required (fields: on create)
	Enum        []string  // the only values; nil for any
	Known       []string  // the values that every site knows, for the documentation: plugins may add some; nil for none
	Min, Max    float64   // bounds of a number; Max 0 for none
	Cap         int       // larger integers become this one; 0 for none
	MaxLen      int       // in characters; 0 for the kind's own limit
	AliasOf     string    // the parameter of the same endpoint that this one is another name of
	With        string    // the parameter that it requires
	FirstAlone  bool      // the legacy applies the first of several values alone; see union.go
	Beside      []string  // fields that an update of the legacy needs this one with: it ignores or misreads them alone
	Preserve    Preserve  // how an update sends what the legacy would reset
	Moves       []string  // fields that the legacy changes along with this one
	LookedUp    bool      // of Terms: named ones are looked up first; see terms.go
	Single      bool      // of Links: at most one
	CannotEmpty bool      // an update cannot empty it: the legacy does not change it, or loses the name
	Zone        Zone      // of a field that is a date: the zone in which it is read
	After       string    // the field that is a date not after this one
	LiftedBy    string    // the parameter beside which this one means nothing
	Lifted      string    // what is sent to the legacy then, so that it holds nothing back either; "" for nothing
	ExactBy     string    // the parameter that, when true, has this time used to the second, and not its whole day
	Of          string    // the resource that the values name (or, of a filter, that it looks at)
	Names       string    // the resource whose ids the values are, if not those of Of
	Text        string    // key of its description, where several share one; "" for the derived key
	Sent        bool      // goes to the legacy at its default too, which a site can change
	Filled      bool      // an empty text is a fault, and not the same as an absent one; of a field "0" too, as PHP has it
	Page        bool      // of a field: may be a URL of the site, which clients see where pages are shown
	Secret      bool      // never in a key, a log or an error
	Clock       bool      // if present and not false, the response depends on the day
	Widest      string    // of a list's, what shows the most, in an order that stays; "" where Lifted, Cap or nothing does
}

// Kind is the meaning of a value: how it is read, checked, brought to its one
// canonical form, and in which JSON type it goes to the legacy.
type Kind uint8

// The kinds.
const (
	Text        Kind = iota // a string
	TextLike                // a string to the legacy; clients may send a boolean or an integer (venue show_map)
	Image                   // the id or the URL of an image, a string to the legacy; clients may send an integer
	Untyped                 // any scalar, passed on in its own type
	Integer                 // a whole number
	Number                  // a decimal number
	Boolean                 // true false 1 0 yes no on off in any case
	BooleanLike             // as Boolean, but what is none of these counts as false
	DateTime                // any date form the legacy reads; see package dates
	ID                      // digits of a path
	Slug                    // one segment of a path, or the field that becomes one
	IDSet                   // ids, order and repetition without meaning
	TermSet                 // ids or slugs, likewise
	Terms                   // ids or names, in order
	Links                   // ids, or items described inline, in order
	Price                   // any scalar, or a list of them
)

// Preserve is how an update sends a field as the item has it. It
// is about the fields that an update of the legacy resets where they are not named:
// recordings odd-update-full-*-title show which these are.
type Preserve uint8

// The ways.
const (
	NotPreserved Preserve = iota
	AsShown               // the text that the item shows
	Following             // likewise, unless a field that it follows from is named
	Flag                  // the value that the legacy does not reset it to: true, and false of a [TextLike]
	ByID                  // the ids of what the item shows
	ByValues              // the values of a price, or its text where it has none
	Address               // a URL in ASCII: others the site shows, and refuses when they are sent back
	Published             // a date; not that of a draft, which has none before it is published
)

// Zone is the time zone in which a date without one is read.
type Zone uint8

// The zones.
const (
	EventZone Zone = iota // the event's time zone
	SiteZone              // the site's
	UTCZone
)

// Generated is a default that depends on the day. The facade documents it and leaves
// it to the legacy to apply, which knows the site's clock.
type Generated uint8

// The generated defaults.
const (
	NotGenerated Generated = iota
	LastMidnight           // one minute before today
	TwoYearsOn             // the end of the day 24 months from now
)

// At returns the default as of now, in now's zone.
func (g Generated) At(now time.Time) string {
	y, m, d := now.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	switch g {
	case LastMidnight:
		return day.Add(-time.Minute).Format(time.DateTime)
	case TwoYearsOn:
		return day.AddDate(2, 0, 1).Add(-time.Second).Format(time.DateTime)
	}
	panic("BUG: not a generated default")
}
