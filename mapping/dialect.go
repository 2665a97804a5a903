package mapping

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
	"github.com/calfacade/calfacade/mapping/siteurl"
)

// Dialect is how one kind of backend names and shapes things. It is data, and the few functions
// for what data cannot express.
type Dialect struct {
	Namespace     string      // below the REST root, without slashes at its ends; it names the dialect
	LanguageParam string      // what names the language, unless a site calls it otherwise
	Header        http.Header // sent with every request; nil for nothing
	Total         string      // the header field that counts a list's items
	TotalPages    string      // and the one that counts its pages
	Vendor        string      // begins machine names, post types and taxonomies; "" for neutral ones
	WordPress     bool        // runs in WordPress: see SplitRoot, Drift, InLocalTime and slashed
	Holes         bool        // has the defects of the legacy: see Prepare, Param.Lifted and [dates.AfterEpoch]

	// Translator translates calls and responses of a dialect whose paths, names and shapes
	// differ from the table's; nil for a dialect that has the table's.
	Translator Translator
}

// Translator translates between the table and a dialect that is unlike it. The methods of
// [Backend] with these names document them.
type Translator interface {
	Lacks(c *Call) []string
	Prepare(b Backend, c *Call, read Reader) (*Call, error)
	Translate(b Backend, c *Call) Request
	Convert(b Backend, c *Call, got Reply, send Sender) (Reply, error)
}

// Neutral is the dialect of clients. A backend that has it needs no translation,
// only links of the facade instead of its own.
var Neutral = &Dialect{
	Namespace:     Namespace,
	LanguageParam: Language.Name,
	Total:         "X-Calendar-Total",
	TotalPages:    "X-Calendar-Totalpages",
}

// Tribe is the dialect of the legacy. The table follows it, except for its names and
// its holes.
var Tribe = &Dialect{
	Namespace:     "tribe/events/v1",
	LanguageParam: "wpml_language",
	Total:         "X-Tec-Total",
	TotalPages:    "X-Tec-Totalpages",
	Vendor:        "tribe_",
	WordPress:     true,
	Holes:         true,
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
}

// ErrNotSupported reports that a backend does not support a call.
var ErrNotSupported = errors.New("the backend does not support the call")

// Lacking is the error for parameters and fields, by their names in the table, that a backend
// would ignore. It is an [ErrNotSupported].
type Lacking []string

func (l Lacking) Error() string { return ErrNotSupported.Error() + ": " + strings.Join(l, ", ") }

func (Lacking) Unwrap() error { return ErrNotSupported }

// Lacks lists what c has and the backend does not know, by its name in the table:
// its endpoint, parameters or fields. Such a call must not be made: that part
// of it would be ignored without an error.
func (b Backend) Lacks(c *Call) []string {
	if b.Dialect.Translator == nil {
		return nil
	}
	return b.Dialect.Translator.Lacks(c)
}

// A Sender makes a read that a response depends on: of items that it names by their ids alone, or to decide
// what an error leaves open. A status that is not 200 is an error, unless the request tries.
type Sender func(Request) (Reply, error)

// Convert returns a backend's answer to c in the shape that the table names, which
// [Rewriter.Rewrite] reads. language is as in Translate. The error is one of send, or the reason why the
// response cannot be read.
func (b Backend) Convert(c *Call, got Reply, language string, send Sender) (Reply, error) {
	if other := b.Dialect.Translator; other != nil {
		return other.Convert(b, c, got, func(r Request) (Reply, error) {
			r.Query = b.withLanguage(r.Query, language)
			return send(r)
		})
	}
	if !b.Dialect.Holes || c.Endpoint.Action != Read || !c.Endpoint.BySlug || got.Status != http.StatusOK {
		return got, nil
	}
	// The legacy finds some draft by a slug that is empty once it is made safe. A venue or an organizer
	// without a slug leaves the member out.
	found := jsonscan.Get(got.Body, SlugParam.Name)
	if _, isItem := ItemID(got.Body); isItem && !SameSlug(c.Item, jsonscan.Text(found)) {
		return got, ErrOtherItem
	}
	return got, nil
}

// SplitRoot splits the URL of a backend's REST root, as [siteurl.Split] does.
func (d *Dialect) SplitRoot(root string) (site, part string) { return siteurl.Split(root, d.WordPress) }

// Header fields that count a list. Clients of WordPress know the second pair.
// They are written with these capitals, which net/http's own form would lose.
const (
	HeaderTotal        = "X-Calendar-Total"
	HeaderTotalPages   = "X-Calendar-TotalPages"
	HeaderWPTotal      = "X-WP-Total"
	HeaderWPTotalPages = "X-WP-TotalPages"
)

// HeaderDropped names the parameters of a request that the table does not have, for [Report].
const HeaderDropped = "X-Calendar-Dropped"

// Exposed are the fields that scripts of other origins may read.
var Exposed = []string{
	"Age", "Allow", "Cache-Status", "Content-Language", "Deprecation", "ETag", "Link", "Location", "Preference-Applied", "RateLimit",
	"RateLimit-Policy", "Retry-After", "Sunset", "X-Request-Id", "X-WP-Nonce",
	HeaderDropped, HeaderTotal, HeaderTotalPages, HeaderWPTotal, HeaderWPTotalPages,
}

// Counts reports whether a list is counted in a header.
func (d *Dialect) Counts(h http.Header) bool {
	return h.Get(d.Total) != "" && h.Get(d.TotalPages) != ""
}

// ParseCount reads a count; 0 if s is none.
func ParseCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return max(0, n)
}

// Success returns the status of a response that did what the endpoint is for.
func (e *Endpoint) Success() int {
	if e.Action == Create {
		return http.StatusCreated
	}
	return http.StatusOK
}

// Remains reports whether an item that was deleted is still there. An event, a venue or an organizer is
// in the trash then (recordings delete-*); a term has no status.
func Remains(item []byte) bool {
	status := jsonscan.Text(jsonscan.Get(item, StatusName))
	return status != "" && status != "trash"
}

// hopStatuses are about the connection or the credentials of whoever calls a backend,
// which is the facade. A client can do nothing with them.
var hopStatuses = []int{
	http.StatusProxyAuthRequired,
	http.StatusRequestTimeout,
	http.StatusMisdirectedRequest,
	http.StatusTooEarly,
	http.StatusUpgradeRequired,
}

// Answers reports whether status is one that a backend may answer request with, which was
// made for a call of the endpoint. Redirects and failures (3xx, 5xx) are not: they are
// no answers.
func (e *Endpoint) Answers(request Request, status int) bool {
	switch {
	case status >= http.StatusBadRequest:
		return status < http.StatusInternalServerError && !slices.Contains(hopStatuses, status)
	case request.Method == http.MethodGet:
		return status == http.StatusOK
	}
	return status == e.Success()
}

// harmless are the errors that the legacy sends with a 500 though nothing was done, and
// the status that is meant (recordings odd-create-title--*, odd-create-name-*,
// odd-update-08-slug).
var harmless = map[string]int{
	"db_insert_error":     http.StatusBadRequest,
	"duplicate_term_slug": http.StatusConflict,
	"empty_content":       http.StatusBadRequest,
	"empty_term_name":     http.StatusBadRequest,
}

// NothingDone returns the status that the error of a write means which failed with a
// 5xx and means that nothing was done; 0 for other errors.
func NothingDone(body []byte) int { return harmless[CodeOf(body)] }

// CodeOf returns the code of an error; "" for another body.
func CodeOf(body []byte) string {
	return jsonscan.Text(jsonscan.Get(body, "code"))
}

// HidesItem reports whether an error means that the client may not read the item:
// event-not-accessible, event-password-protected, event-no-longer-available.
func (e *Endpoint) HidesItem(body []byte) bool {
	return strings.HasPrefix(CodeOf(body), Singular(e.Resource)+"-")
}

// notCreated begins the codes of the legacy for an item described in place that it did
// not create. Others may have been created before.
const notCreated = "could-not-create-"

// CreatedBefore names the items that a write described in place and that the legacy may
// have created, though it refused the write with this error.
func (c *Call) CreatedBefore(refusal []byte) []string {
	if !strings.HasPrefix(CodeOf(refusal), notCreated) {
		return nil
	}
	return c.Inline()
}

// Inline names the items that a write describes in place, as its client did: venue
// "Hall".
func (c *Call) Inline() []string {
	var named []string
	for _, a := range c.Fields {
		if a.Param.Kind != Links {
			continue
		}
		for _, item := range jsonscan.AsList(jsontext.Value(a.JSON)) {
			if name := jsonscan.Text(jsonscan.Get(item, NameField(a.Param.Of))); name != "" {
				named = append(named, Singular(a.Param.Of)+" "+strconv.Quote(name))
			}
		}
	}
	return named
}

// AddToMessage adds a sentence to the message of an error.
func AddToMessage(body []byte, sentence string) []byte {
	message := jsonscan.Get(body, "message")
	if message == nil {
		return body
	}
	return jsonscan.With(body, "message", jsonscan.Quote(jsonscan.Text(message)+" "+sentence))
}
