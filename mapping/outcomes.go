package mapping

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/calfacade/calfacade/mapping/jsonscan"
)

// Header fields that count a list. Clients of WordPress know the second pair. Responses have the names in these
// capitals, which net/http's own form would lose.
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
	"Age", "Allow", "Cache-Status", "Content-Language", "Deprecation", "ETag", "Idempotency-Replayed", "Link", "Location",
	"Preference-Applied", "RateLimit",
	"RateLimit-Policy", "Retry-After", "Sunset", "X-Request-Id", "X-WP-Nonce",
	HeaderDropped, HeaderTotal, HeaderTotalPages, HeaderWPTotal, HeaderWPTotalPages,
}

// Counts reports whether a list is counted in a header.
func (d *Dialect) Counts(h http.Header) bool {
	return h.Get(d.Total) != "" && h.Get(d.TotalPages) != ""
}

// Success returns the status of a successful response of the endpoint.
func (e *Endpoint) Success() int {
	if e.Action == Create {
		return http.StatusCreated
	}
	return http.StatusOK
}

// Remains reports whether an item still exists after a delete. An event, a venue or an organizer is
// in the trash then (recordings delete-*); a term has no status.
func Remains(item []byte) bool {
	status := jsonscan.Text(jsonscan.Get(item, StatusName))
	return status != "" && status != "trash"
}

// hopStatuses concern the connection or the credentials of the caller of a backend, which is the facade. A
// client can do nothing with these statuses.
var hopStatuses = []int{
	http.StatusProxyAuthRequired,
	http.StatusRequestTimeout,
	http.StatusMisdirectedRequest,
	http.StatusTooEarly,
	http.StatusUpgradeRequired,
}

// Answers reports whether a backend may answer request, which was made for a call of the endpoint, with status.
// Redirects and failures (3xx, 5xx) are no answers.
func (e *Endpoint) Answers(request Request, status int) bool {
	switch {
	case status >= http.StatusBadRequest:
		return status < http.StatusInternalServerError && !slices.Contains(hopStatuses, status)
	case request.Method == http.MethodGet:
		return status == http.StatusOK
	}
	return status == e.Success()
}

// harmless are the errors that the legacy sends with a 500 although nothing was done, and the intended status
// (recordings odd-create-title--*, odd-create-name-*, odd-update-08-slug).
var harmless = map[string]int{
	"db_insert_error":     http.StatusBadRequest,
	"duplicate_term_slug": http.StatusConflict,
	"empty_content":       http.StatusBadRequest,
	"empty_term_name":     http.StatusBadRequest,
}

// NothingDone returns the intended status of a write's error with a 5xx that means that nothing was done; 0 for
// other errors.
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

// notCreated begins the codes of the legacy for an item described in place that the legacy did not create.
// Other items may have been created before.
const notCreated = "could-not-create-"

// CreatedBefore names the items that a write described in place and that the legacy may have created, although
// the legacy refused the write with this error.
func (c *Call) CreatedBefore(refusal []byte) []string {
	if !strings.HasPrefix(CodeOf(refusal), notCreated) {
		return nil
	}
	return c.Inline()
}

// Inline names the items that a write describes in place, in the client's words: venue "Hall".
func (c *Call) Inline() []string {
	var named []string
	for _, a := range c.Fields {
		if a.Param.Kind != Links {
			continue
		}
		for _, item := range jsonscan.AsList(jsontext.Value(a.JSON)) {
			name := jsonscan.Text(jsonscan.Get(item, NameField(a.Param.Of)))
			if name != "" {
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
