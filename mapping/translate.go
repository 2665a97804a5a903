package mapping

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/dates"
	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Request is a request to a backend, made of nothing but the call: no path segment, name or header is the
// client's.
type Request struct {
	Method string
	Path   string      // below the REST root, percent-encoded, from "/"
	Query  string      // raw; "" without a query
	Header http.Header // fields of the dialect, read-only; nil sends nothing
	Body   []byte      // JSON; nil without a body
	Slug   bool        // Path has a slug, which is any text: the backend may have no route for it
	Tries  bool        // an error is a result, too, and shows whether the item exists
}

// Target returns the path and query.
func (r Request) Target() string { return strings.TrimSuffix(r.Path+"?"+r.Query, "?") }

// Translate returns the request for c to a backend that has the table's paths, names and fields. language is
// the value of the backend's language parameter; "" leaves the parameter out.
func (b Backend) Translate(c *Call, language string) Request {
	c = b.IDs.Outgoing(c)
	r := Request{
		Method: c.Method,
		Path:   "/" + b.Dialect.Namespace + c.Path(),
		Header: b.Dialect.Header,
		Slug:   c.Endpoint.BySlug,
	}
	query := make([]string, 0, len(c.Query)+1)
	members := make([]string, 0, len(c.Fields)+1)
	for _, a := range c.Query {
		switch {
		case a.Param == &Language:
		case c.Endpoint.Action == Update: // a secret belongs into the body, if the request has a body
			members = append(members, jsonscan.Quote(a.Param.Name)+":"+jsonscan.Quote(a.Text))
		case !a.IsDefault() || a.Param.Sent:
			query = append(query, a.pair())
		}
	}
	r.Query = b.WithLanguage(strings.Join(query, "&"), language)
	if c.Endpoint.Action == Create || c.Endpoint.Action == Update {
		for _, a := range c.Fields {
			if c.Endpoint.Action == Update || a.JSON != NoLinks { // a new item has no links
				members = append(members, jsonscan.Quote(a.Param.Name)+":"+a.JSON)
			}
		}
		r.Body = []byte("{" + strings.Join(members, ",") + "}")
	}
	return r
}

// WithLanguage appends the language parameter to a query, unless the parameter or the language is empty.
func (b Backend) WithLanguage(query, language string) string {
	if language == "" || b.LanguageParam == "" {
		return query
	}
	if query != "" {
		query += "&"
	}
	return query + b.LanguageParam + "=" + url.QueryEscape(cmp.Or(b.Languages[language], language))
}

func (c *Call) Row(action Action, bySlug bool) *Endpoint {
	return RowOf(c.Endpoint.Resource, action, bySlug)
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

// NextMidnight returns the first midnight after now in zone, where the responses ByClock change. Without a zone
// the result is the next quarter of an hour: every zone's midnight is such a time.
func NextMidnight(now time.Time, zone *time.Location) time.Time {
	if zone == nil {
		return now.Truncate(15 * time.Minute).Add(15 * time.Minute)
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone)
}
