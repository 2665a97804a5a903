package mapping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Dialect has the names and shapes of one kind of backend, and the client for such backends.
type Dialect struct {
	Namespace     string      // below the REST root, without slashes at both ends; names the dialect
	LanguageParam string      // names the language, unless a site has another name
	Header        http.Header // sent with every request; nil sends nothing
	Total         string      // the header field with the number of a list's items
	TotalPages    string      // the header field with the number of a list's pages
	Vendor        string      // begins machine names, post types and taxonomies; "" for neutral ones
	WordPress     bool        // runs in WordPress, with WordPress's REST roots and users

	// Client makes the client of a call.
	Client func(API, Environment) Client
}

// Client makes one call on a backend.
type Client interface {
	// Do makes the call, with all other reads that the backend needs, and returns the response in the shape of
	// the table, which package rewrite reads. If the backend refuses a read on the way, that is the response.
	// An error is an error of the [Environment], [Faults] if the call cannot succeed, [ErrNotSupported], [ErrOtherItem],
	// [ErrIncomplete], or another error for a response that is not in the shape of the dialect.
	Do(ctx context.Context, c *Call) (Reply, error)

	// Preview returns the requests of Do without sending them: the first read on the way, with an empty Path
	// without such a read, and the request of c, or of the first part of c.
	Preview(c *Call) (lookup, request Request)
}

// Environment is a [Client]'s connection to a backend, and the time and zone of a call.
type Environment struct {
	Language string    // value of the backend's language parameter; "" leaves the parameter out
	Now      time.Time // time of a write, from which dates in words are computed

	// Send sends a request for a call. A response that is not of the API is an error.
	Send func(ctx context.Context, c *Call, r Request) (Reply, error)

	// Accept checks the response to a read on the way, in the shape of the table. An error ends the call.
	Accept func(ctx context.Context, lookup *Call, reply Reply) error

	// Zone returns the time zone of the site, which a write may need; nil if the site hides the zone.
	Zone func(context.Context) (*time.Location, error)
}

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

// ReadFirst returns the body of the response to a read on the way to c, which do makes. The error is [Refused] for a
// response without status 200.
func (env Environment) ReadFirst(ctx context.Context, c, lookup *Call, do func(context.Context, *Call) (Reply, error)) ([]byte, error) {
	lookup.InLegacyNames = c.InLegacyNames // the client may get the response
	reply, err := do(ctx, lookup)
	if err == nil {
		err = env.Accept(ctx, lookup, reply)
	}
	if err == nil && reply.Status != http.StatusOK {
		err = &Refused{Reply: reply}
	}
	return reply.Body, err
}

// Refused is the error of a read on the way that the backend refuses, and the response of [Client.Do].
type Refused struct{ Reply Reply }

func (r *Refused) Error() string {
	return fmt.Sprintf("upstream status %d for a read on the way", r.Reply.Status)
}

// Result returns the result of [Client.Do].
func Result(reply Reply, err error) (Reply, error) {
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused.Reply, nil
	}
	return reply, err
}

// API is the API of one backend: the dialect, and the deviations of this site.
type API struct {
	Dialect       *Dialect
	LanguageParam string            // "" for a site without the parameter
	Languages     map[string]string // values of LanguageParam by code; for other languages the code
	IDs           IDs               // zero for a backend with the legacy's ids
	AsIs          bool              // updates have only the fields that clients name, although the backend resets others
}

// WithLanguage appends the language parameter to a query, unless the parameter or the language is empty.
func (b API) WithLanguage(query, language string) string {
	if language == "" || b.LanguageParam == "" {
		return query
	}
	if query != "" {
		query += "&"
	}
	return query + b.LanguageParam + "=" + url.QueryEscape(cmp.Or(b.Languages[language], language))
}

// Reply is the response of a backend.
type Reply struct {
	Status int
	Header http.Header // not to be changed
	Body   []byte
	Drift  []Drift // of an update that succeeded
}

// PageOf returns a page of a list as the response of a backend, with the header fields of another
// response. The links are empty: the rewriter makes them.
func (c *Call) PageOf(b API, items []jsontext.Value, total, pages int, fields http.Header) Reply {
	links := `"rest_url":""`
	if c.Page() < pages {
		links += `,"` + NextName + `":""`
	}
	if c.Page() > 1 {
		links += `,"previous_rest_url":""`
	}
	h := fields.Clone()
	h.Set(b.Dialect.Total, strconv.Itoa(total))
	h.Set(b.Dialect.TotalPages, strconv.Itoa(pages))
	body := fmt.Appendf(nil, `{%s:%s,%s,"%s":%d,"%s":%d}`, jsonscan.Quote(c.Endpoint.Resource), jsonscan.List(items), links,
		TotalName, total, TotalPagesName, pages)
	return Reply{Status: http.StatusOK, Header: h, Body: body}
}

// ErrNotSupported reports that a backend does not support a call.
var ErrNotSupported = errors.New("the backend does not support the call")

// Lacking is an [ErrNotSupported] with the parameters and fields, by the names in the table, that a backend
// would ignore.
type Lacking []string

func (l Lacking) Error() string { return ErrNotSupported.Error() + ": " + strings.Join(l, ", ") }

func (Lacking) Unwrap() error { return ErrNotSupported }

// ErrIncomplete reports that an item that was looked up lacks a value for the call. Nothing was written.
var ErrIncomplete = errors.New("the item that was looked up lacks what the write needs")

// ErrOtherItem reports that a backend answered a call by slug with an item that has
// another slug.
var ErrOtherItem = errors.New("the item has another slug")

// Drift is a field in which an update did something else than requested.
type Drift struct {
	Field string
	Kind  DriftKind
}

// DriftKind is a way in which a field drifts.
type DriftKind string

// The kinds.
const (
	Changed    DriftKind = "changed"     // not named, and no longer the same
	NotApplied DriftKind = "not_applied" // named, and without the requested value
)

// DriftKinds lists all kinds.
var DriftKinds = []DriftKind{Changed, NotApplied}

// DriftFields are the names of all fields that can drift, sorted.
func DriftFields() []string {
	var names []string
	for _, item := range items {
		for _, p := range item.fields {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// SplitRoot splits the URL of a backend's REST root, as [siteurl.Split] does.
func (d *Dialect) SplitRoot(root string) (site, part string) { return siteurl.Split(root, d.WordPress) }

// Neutral is the dialect of clients. A backend with this dialect needs no translation, only links of the facade
// in its responses.
var Neutral = &Dialect{
	Namespace:     Namespace,
	LanguageParam: Language.Name,
	Total:         "X-Calendar-Total",
	TotalPages:    "X-Calendar-Totalpages",
	Client:        func(b API, env Environment) Client { return neutralClient{backend: b, env: env} },
}

type neutralClient struct {
	backend API
	env     Environment
}

// Do implements [Client].
func (n neutralClient) Do(ctx context.Context, c *Call) (Reply, error) {
	_, request := n.Preview(c)
	return n.env.Send(ctx, c, request)
}

// Preview implements [Client].
func (n neutralClient) Preview(c *Call) (lookup, request Request) {
	return Request{}, n.backend.Translate(c, n.env.Language)
}

// Translate returns the request for c to a backend that has the table's paths, names and fields. language is
// the value of the backend's language parameter; "" leaves the parameter out.
func (b API) Translate(c *Call, language string) Request {
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
