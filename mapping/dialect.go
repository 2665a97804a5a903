package mapping

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Dialect is how one kind of backend names and shapes things, and the client that speaks it.
type Dialect struct {
	Namespace     string      // below the REST root, without slashes at its ends; it names the dialect
	LanguageParam string      // names the language, unless a site calls it otherwise
	Header        http.Header // sent with every request; nil for nothing
	Total         string      // the header field that counts a list's items
	TotalPages    string      // and the one that counts its pages
	Vendor        string      // begins machine names, post types and taxonomies; "" for neutral ones
	WordPress     bool        // runs in WordPress, whose REST roots and users it has

	// Client makes the client of a call.
	Client func(Backend, Line) Client
}

// Client makes one call on a backend.
type Client interface {
	// Do makes the call, with the reads that the backend needs before it and beside it, and returns the response in
	// the shape of the table, which package rewrite reads. If the backend refuses a read on the way, that is the
	// response. An error is one of the [Line], [Faults] if the call cannot succeed, [ErrNotSupported], [ErrOtherItem],
	// [ErrIncomplete], or another one for a response that is not in the shape of the dialect.
	Do(ctx context.Context, c *Call) (Reply, error)

	// Preview returns the requests of Do without sending any: the first read on the way, with an empty Path if
	// there is none, and the request of c itself, or of its first part.
	Preview(c *Call) (lookup, request Request)
}

// Line is how a [Client] reaches its backend.
type Line struct {
	Language string    // value of the backend's language parameter; "" for none
	Now      time.Time // when a write is made, at which its dates in words are read

	// Send sends a request for a call. A response that is not of the API is an error.
	Send func(ctx context.Context, c *Call, r Request) (Reply, error)

	// Accept checks the response to a read on the way, in the shape of the table. Its error ends the call.
	Accept func(ctx context.Context, lookup *Call, reply Reply) error

	// Zone returns the time zone of the site, which a write may need; nil if the site hides it.
	Zone func(context.Context) (*time.Location, error)
}

// Look returns the body of the response to a read on the way to c, which do makes. The error is [Refused] for a
// response without status 200.
func (l Line) Look(ctx context.Context, c, lookup *Call, do func(context.Context, *Call) (Reply, error)) ([]byte, error) {
	lookup.OldNames = c.OldNames // its client may get the response
	reply, err := do(ctx, lookup)
	if err == nil {
		err = l.Accept(ctx, lookup, reply)
	}
	if err == nil && reply.Status != http.StatusOK {
		err = &Refused{Reply: reply}
	}
	return reply.Body, err
}

// Refused is the error of a read on the way that the backend refuses. It is the response of [Client.Do].
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

// Neutral is the dialect of clients. A backend that has it needs no translation,
// only links of the facade instead of its own.
var Neutral = &Dialect{
	Namespace:     Namespace,
	LanguageParam: Language.Name,
	Total:         "X-Calendar-Total",
	TotalPages:    "X-Calendar-Totalpages",
	Client:        func(b Backend, l Line) Client { return neutralClient{backend: b, line: l} },
}

type neutralClient struct {
	backend Backend
	line    Line
}

// Do implements [Client].
func (n neutralClient) Do(ctx context.Context, c *Call) (Reply, error) {
	_, request := n.Preview(c)
	return n.line.Send(ctx, c, request)
}

// Preview implements [Client].
func (n neutralClient) Preview(c *Call) (lookup, request Request) {
	return Request{}, n.backend.Translate(c, n.line.Language)
}

// Backend is the API of one backend: its dialect, and where this site departs
// from that.
type Backend struct {
	Dialect       *Dialect
	LanguageParam string            // "" for a site that has none
	Languages     map[string]string // what LanguageParam calls languages, by code; others are called by their code
	IDs           IDs               // zero for a backend that has the legacy's
	AsIs          bool              // updates are sent with the fields that clients name alone, though others are reset
}

// Reply is the response of a backend.
type Reply struct {
	Status int
	Header http.Header // not to be changed
	Body   []byte
	Drift  []Drift // of an update that succeeded
}

// ErrNotSupported reports that a backend does not support a call.
var ErrNotSupported = errors.New("the backend does not support the call")

// Lacking is the error for parameters and fields, by their names in the table, that a backend
// would ignore. It is an [ErrNotSupported].
type Lacking []string

func (l Lacking) Error() string { return ErrNotSupported.Error() + ": " + strings.Join(l, ", ") }

func (Lacking) Unwrap() error { return ErrNotSupported }

// ErrIncomplete reports that an item that was looked up lacks what the call needs. Nothing was written.
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
