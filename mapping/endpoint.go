package mapping

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Namespace is the neutral namespace of clients, without slashes at its ends.
const Namespace = "calendar/events/v1"

// Action names the operation of an endpoint on its resource.
type Action string

// The actions. Index and Doc are answered from the table and never reach the legacy.
const (
	Index  Action = "index"
	Doc    Action = "doc"
	List   Action = "list"
	Create Action = "create"
	Read   Action = "read"
	Update Action = "update"
	Delete Action = "delete"
)

// Endpoint is one row of the table: one path with the methods that share its
// parameters.
type Endpoint struct {
	Resource string   // collection in the path; "" for index and documentation
	Action   Action   // operation
	Path     string   // below the namespace; {id} is digits, {slug} is anything but "/"
	Params   []*Param // of path and query, in the order in which faults are reported

	// Derived from the fields above, and from the items of the resource.

	Fields  []*Param      // of the body of a write, after Params
	Result  *Shape        // shape of a successful response; nil for a local response
	TTL     time.Duration // how long the response to a read is fresh; configuration can change it
	Methods []string      // of the action; HEAD and OPTIONS are implied
	Allow   string        // the methods of the path, for the header field of that name
	BySlug  bool          // a slug names the item, and no id
	Args    []*Param      // every parameter and field, in the order in which faults are reported

	// Extensions are the parameters of a read beyond the specification, which the configuration can turn off. They
	// select a view of the response, and are not among Args.
	Extensions []*Param

	name   string
	legacy *Endpoint // the row for clients that speak the legacy's names; nil: this row
}

// Name is the endpoint's name in metrics, texts and configuration, such as
// "events.list" or "events.update_by_slug".
func (e *Endpoint) Name() string { return e.name }

// Writes reports whether the endpoint changes something.
func (e *Endpoint) Writes() bool {
	return e.Action == Create || e.Action == Update || e.Action == Delete
}

// Local reports whether the table itself answers, without the legacy.
func (e *Endpoint) Local() bool { return e.Action == Index || e.Action == Doc }

// Allows reports whether the endpoint has a method; GET permits HEAD.
func (e *Endpoint) Allows(method string) bool {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return slices.Contains(e.Methods, method)
}

// Requires reports whether p is required. Fields are required on create only.
func (e *Endpoint) Requires(p *Param) bool {
	return p.Required && (p.In == InPath || e.Action == Create)
}

// Field returns the field of the body with a name; nil without such a field.
func (e *Endpoint) Field(name string) *Param { return find(e.Fields, name) }

// PathParam returns the parameter of the path with a name; nil without such a parameter.
func (e *Endpoint) PathParam(name string) *Param {
	p := e.param(name)
	if p != nil && p.In == InPath {
		return p
	}
	return nil
}

// param returns a parameter of the path or the query.
func (e *Endpoint) param(name string) *Param { return find(e.Params, name) }

func find(params []*Param, name string) *Param {
	for _, p := range params {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// In is the part of the request that has a parameter.
type In uint8

// The parts of a request. A field of a write is read from the body and, as on the legacy, from the query if the
// body does not name the field.
const (
	InQuery In = iota
	InPath
	InBody
)

// Param is a parameter or a field.
type Param struct {
	Name        string    // the neutral name
	Kind        Kind      // how the value is read, checked and sent
	In          In        // part of the request
	Default     string    // canonical text of the default; "" without a default
	Generated   Generated // the default that the legacy makes from the clock
	Null        bool      // the default is null: absent, or in an update empty
	Required    bool      // required (fields: on create)
	Enum        []string  // the only values; nil for any
	Known       []string  // the values of every site, for the documentation: plugins may add some; nil without a list
	Min, Max    float64   // bounds of a number; Max 0 disables the bounds
	Cap         int       // larger integers become Cap; 0 disables the cap
	MaxLen      int       // in characters; 0 for the kind's own limit
	AliasOf     string    // the parameter of the same endpoint with the same meaning
	With        string    // the parameter that must be present too
	FirstAlone  bool      // the legacy applies only the first of several values; see package tribe
	Beside      []string  // fields that need this one in an update: the legacy ignores or misreads them alone
	Preserve    bool      // updates send the item's value, or the legacy resets it (recordings odd-update-full-*-title)
	Moves       []string  // fields that the legacy changes along with this one
	LookedUp    bool      // of Terms: names are looked up first; see package tribe
	Single      bool      // of Links: at most one
	CannotEmpty bool      // an update cannot empty the field: the legacy does not change the field, or loses the name
	Zone        Zone      // of a date in a body: the zone in which the legacy reads the date
	After       string    // the field that is a date not after this one
	LiftedBy    string    // the parameter that disables this one
	Lifted      string    // the value that the legacy gets then, which excludes nothing; "" sends no value
	ExactBy     string    // the parameter that, when true, makes this filter exact to the second, and not to the day
	Of          string    // the resource that the values name, or that a filter searches
	Names       string    // the resource that the ids belong to, if that is not Of
	Text        string    // key of its description, where several share one; "" for the derived key
	Sent        bool      // the default is sent to the legacy too, since a site can change its own default
	Filled      bool      // an empty text is a fault, and not the same as an absent one; of a field "0" too, as in PHP
	Page        bool      // of a field: may be a URL of the site, which clients see where pages are shown
	Secret      bool      // never in a key, a log or an error
	Clock       bool      // if present and not false, the response depends on the day
	Widest      string    // of a list: the value that shows most items, in a stable order; "" uses Lifted
	Shape       *Shape    // of a FieldSet: the items with the attributes

	// Attributes of filters in rows for clients that speak the legacy's names; see [Param.forLegacy].

	Joined    bool // a list of values is one text, with commas
	Ordered   bool // of a set: order and repetition stay as sent
	Overrides bool // of an alias: this value counts, and not the other parameter's
}

// Kind is the meaning of a value: how a value is read, checked and brought to the one canonical form, and the
// JSON type for the legacy.
type Kind uint8

// The kinds.
const (
	Text        Kind = iota // a string
	TextLike                // a string to the legacy; clients may send a boolean or an integer (venue show_map)
	Image                   // the id or the URL of an image, a string to the legacy; clients may send an integer
	Untyped                 // any scalar, passed on in the same type
	Integer                 // a whole number
	Number                  // a decimal number
	Boolean                 // true false 1 0 yes no on off in any case
	BooleanLike             // as Boolean, but any other text counts as false
	DateTime                // any date form the legacy reads; see package dates
	ID                      // digits of a path
	Slug                    // one segment of a path, or the field that becomes one
	IDSet                   // ids, order and repetition without meaning
	TermSet                 // ids or slugs, likewise
	FieldSet                // names of attributes of the Shape, likewise; a dot leads into an object
	Terms                   // ids or names, in order
	Links                   // ids, or items described inline, in order
	Price                   // any scalar, or a list of them
)

// JSONType is the JSON type that messages name.
func (k Kind) JSONType() string {
	switch k {
	case Integer, ID:
		return "integer"
	case Number:
		return "number"
	case Boolean, BooleanLike:
		return "boolean"
	case IDSet, TermSet, FieldSet, Terms, Links:
		return "array"
	}
	return "string"
}

// Zone is the time zone in which a date without a zone is read.
type Zone uint8

// The zones.
const (
	EventZone Zone = iota // the event's time zone
	SiteZone              // the site's
	UTCZone
)

// Generated is a default that depends on the day. The facade documents the default, and the legacy applies the
// default, since only the legacy knows the site's clock.
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

// Singular returns the name of one item of a resource: "event", "category".
func Singular(resource string) string {
	if stem, ok := strings.CutSuffix(resource, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(resource, "s")
}

// Item names an item of a resource by id.
type Item struct{ Resource, ID string }
