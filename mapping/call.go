package mapping

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
)

// Call is a request in its canonical form: checked, sorted, defaults filled in.
type Call struct {
	Endpoint *Endpoint
	Method   string    // as the client sent it
	Item     string    // id or slug; "" for a collection
	Language string    // value of i18n_language; "" without the parameter
	Query    []Arg     // sorted by name, with the defaults of absent parameters
	Fields   []Written // of a write, in the table's order
	View     View      // of the response to a read

	InLegacyNames bool // the client speaks the legacy's names: the response has the legacy's form; see legacy_names.go

	Edits bool   // reads an item that is to be written
	Found []byte // of a write: the item before the write, if the client of the backend reads the item
}

// NewRead is a read with no other parameters than query, which is sorted by name.
func NewRead(e *Endpoint, language string, query ...Arg) *Call {
	return &Call{Endpoint: e, Method: http.MethodGet, Language: language, Query: query}
}

// Arg is a parameter with its value.
type Arg struct {
	Param *Param
	Text  string // canonical
}

// View is how a client wants the response to a read shown, beyond the specification: the values of
// [Endpoint.Extensions], in their order. An empty View shows the response whole. Package view makes the views.
//
// A view is no part of [Call.Query]: a backend gets the same call with and without a view.
type View []Arg

// Whole is the same call without a view.
func (c *Call) Whole() *Call {
	whole := *c
	whole.View = nil
	return &whole
}

// Query returns the view as a part of a query, which begins with an ampersand; "" for the whole response.
func (v View) Query() string {
	query := ""
	for i := range v {
		query += "&" + v[i].pair()
	}
	return query
}

// Fields returns the names of the attributes that the view selects, sorted; nil selects all.
func (v View) Fields() []string {
	for _, a := range v {
		if a.Param.Kind == FieldSet {
			return strings.Split(a.Text, ",")
		}
	}
	return nil
}

// Plain reports whether the view shows texts as people read them.
func (v View) Plain() bool {
	return slices.ContainsFunc(v, func(a Arg) bool { return a.Param == &TextsParam && a.Text == PlainTexts })
}

// Written is a field of a write with its value.
type Written struct {
	Arg
	JSON      string    // in the legacy's type
	Preserved bool      // sent along, since the legacy would reset the field; the client did not name the field
	Lossy     bool      // likewise, and no value in a write surely preserves the field
	At        time.Time // the instant of a date that was an instant
}

// Instant returns the instant that a value means at now, as [dates.At] returns it; isInstant is false
// for a value that is no date.
func (a Arg) Instant(now time.Time) (instant time.Time, isInstant bool) {
	if a.Param.Kind != DateTime {
		return time.Time{}, false
	}
	return dates.At(a.Text, now)
}

// IsDefault reports whether the value is the default of the table.
func (a Arg) IsDefault() bool { return a.Param.Default != "" && a.Text == a.Param.Default }

func (c *Call) Argument(p *Param) (Arg, bool) {
	for _, a := range c.Query {
		if a.Param == p {
			return a, true
		}
	}
	return Arg{}, false
}

// Value returns the canonical text of a parameter of the query, by name; "" without a value.
func (c *Call) Value(name string) string {
	for _, a := range c.Query {
		if a.Param.Name == name {
			return a.Text
		}
	}
	return ""
}

// Lifts reports whether p has no effect in this call.
func (c *Call) Lifts(p *Param) bool {
	return p.LiftedBy != "" && c.Value(p.LiftedBy) != ""
}

// ByClock reports whether the response to c changes with the day, without a change in the calendar: by a window
// that the legacy makes from the clock, by a date in words, by a filter for upcoming events.
func (c *Call) ByClock() bool {
	for _, p := range c.Endpoint.Params {
		if p.Generated != NotGenerated && c.Value(p.Name) == "" && !c.Lifts(p) {
			return true
		}
	}
	for _, a := range c.Query {
		byClock := a.Param.Clock && !a.IsDefault()
		if byClock || a.Param.Kind == DateTime && dates.KindOf(a.Text) == dates.Relative {
			return true
		}
	}
	return false
}

// With returns the call with another value of a present parameter.
func (c *Call) With(name, text string) *Call {
	changed := *c
	changed.Query = slices.Clone(c.Query)
	for i := range changed.Query {
		if changed.Query[i].Param.Name == name {
			changed.Query[i].Text = text
		}
	}
	return &changed
}

func (c *Call) Row(action Action, bySlug bool) *Endpoint {
	return RowOf(c.Endpoint.Resource, action, bySlug)
}

// Secret reports whether a parameter of the call is a secret, such as the password of an event. The response
// must not be shared.
func (c *Call) Secret() bool {
	return slices.ContainsFunc(c.Query, func(a Arg) bool { return a.Param.Secret })
}

// Scans reports whether the call lists ids and slugs alone, as a dialect does to find an item.
func (c *Call) Scans() bool {
	_, ok := c.Argument(&SlugParam)
	return ok
}

// IndexNamespace reports whether an index call is for this namespace.
func IndexNamespace(c *Call) bool { return c.Value(inIndex.Name) == Namespace }

// Rooted is the call that the root of the language code answers: naming that language there has no effect.
// Calls that get the same response are the same call.
func (c *Call) Rooted(code string) *Call {
	if c.Language != code {
		return c
	}
	rooted := *c
	rooted.Language = ""
	rooted.Query = slices.DeleteFunc(slices.Clone(c.Query), func(a Arg) bool { return a.Param == &Language })
	return &rooted
}

// Neutral is the same call with a response in neutral names.
func (c *Call) Neutral() *Call {
	neutral := *c
	neutral.InLegacyNames = false
	return &neutral
}

// Masked is the call with unreadable secrets, to be shown.
func (c *Call) Masked() *Call {
	for _, a := range c.Query {
		if a.Param.Secret {
			c = c.With(a.Param.Name, "***")
		}
	}
	return c
}

// Line returns path and query of the call, as [Call.Path] and [Call.Canonical] do.
func (c *Call) Line() string {
	query := c.Canonical()
	if query != "" {
		return c.Path() + "?" + query
	}
	return c.Path()
}

// OnPage returns the call for another page of a list.
func (c *Call) OnPage(n int) *Call { return c.With(PageParam.Name, strconv.Itoa(n)) }

// Page returns the page number of a list call, from 1.
func (c *Call) Page() int { return max(1, ParseCount(c.Value(PageParam.Name))) }

// PerPage returns how many items a page of a list call has.
func (c *Call) PerPage() int {
	return max(1, ParseCount(cmp.Or(c.Value(PerPageParam.Name), PerPageParam.Default)))
}

// ParseCount reads a count; 0 if s is no count.
func ParseCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return max(0, n)
}

// Pages returns the number of pages of a list call that finds total items.
func (c *Call) Pages(total int) int { return (total + c.PerPage() - 1) / c.PerPage() }

// SmallestList is a call that reads one item of the first list of the table, to
// see whether the legacy responds.
func SmallestList() *Call {
	list := RowOf(Resources()[0], List, false)
	return NewRead(list, "", Arg{Param: list.param(PerPageParam.Name), Text: "1"})
}

// Canonical is the query in canonical form, with the view at the end, and without secrets.
func (c *Call) Canonical() string {
	var room [256]byte // keys are made for hits with new targets (BenchmarkKey)
	pairs := room[:0]
	for i := range c.Query {
		a := &c.Query[i]
		if !a.Param.Secret {
			pairs = append(append(pairs, a.pair()...), '&')
		}
	}
	for i := range c.View {
		pairs = append(append(pairs, c.View[i].pair()...), '&')
	}
	return string(bytes.TrimSuffix(pairs, []byte("&")))
}

// Key returns the key in the cache of the response to a read. Calls with the same key, once [Call.Rooted], are
// the same call. shape stands for the backend and for all options that responses depend on, root is the code of
// the root that answers.
//
// The key of a call that is Secret must not be used: the key does not contain the secret.
func (c *Call) Key(shape, root string) string {
	names := ""
	if c.InLegacyNames { // an entry has the names of its clients
		names = "old:"
	}
	return shape + ":" + c.Endpoint.name + ":" + root + ":" + url.PathEscape(c.Item) + ":" + names + c.Canonical()
}

// Path is the path of the call below the namespace, percent-encoded.
func (c *Call) Path() string {
	path := c.Endpoint.Path
	for _, p := range c.Endpoint.Params {
		if p.In == InPath {
			path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(c.Item), 1)
		}
	}
	return path
}

// PageLink is the link to page n of a list with every filter. base is the
// public URL of the namespace.
func (c *Call) PageLink(base string, n int) string {
	var pairs []string
	for _, a := range c.Query {
		switch {
		case a.Param.Secret:
			continue
		case a.Param.Name == PageParam.Name:
			a.Text = strconv.Itoa(n)
		case a.IsDefault() && a.Param.Name != PerPageParam.Name:
			continue
		}
		pairs = append(pairs, a.pair())
	}
	return base + c.Path() + "/?" + strings.Join(pairs, "&")
}

// pair returns name and value for a query.
func (a *Arg) pair() string { return a.Param.Name + "=" + url.QueryEscape(a.Text) }
