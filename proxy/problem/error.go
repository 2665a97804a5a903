package problem

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Error is an error response. The public part goes to the client in WordPress's envelope; Err
// goes to the log alone.
type Error struct {
	Status int
	Code   string            // of WordPress, or with the prefix "calendar_"; "error."+Code is the key of the text
	Args   map[string]string // placeholders of the text
	Data   []mapping.Member  // additional members of the envelope's data
	Header http.Header       // Allow, Retry-After
	Note   string            // a sentence that follows the text, in the client's language
	Err    error             // the cause, which clients never see

	IsRefusal bool // the request itself causes a 5xx, which counts as an error of the client
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Err.Error()
	}
	return e.Code
}

func (e *Error) Unwrap() error { return e.Err }

// Of returns the error response for any error of a request. Only here kinds of errors are
// mapped to statuses.
func Of(err error) *Error {
	var e *Error
	var faults mapping.Faults
	var badJSON *mapping.JSONError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &faults):
		return &Error{Status: http.StatusBadRequest, Code: "rest_invalid_param", Err: faults}
	case errors.As(err, &badJSON):
		return &Error{Status: http.StatusBadRequest, Code: "rest_invalid_json", Err: badJSON.Err, Data: []mapping.Member{
			{Name: "json_error_code", Value: badJSON.Code},
			{Name: "json_error_message", Value: badJSON.Message},
		}}
	case errors.As(err, &tooLarge):
		return TooLong(http.StatusRequestEntityTooLarge, "rest_content_too_large", tooLarge.Limit)
	case errors.Is(err, mapping.ErrTooManyPairs):
		return TooLong(http.StatusBadRequest, "rest_too_many_params", mapping.MaxPairs)
	case errors.Is(err, mapping.ErrTooManyValues):
		return TooLong(http.StatusBadRequest, "rest_too_many_params", mapping.MaxValues)
	case errors.Is(err, context.Canceled):
		return ClientGone(err)
	}
	return &Error{Status: http.StatusInternalServerError, Code: "calendar_internal", Err: err}
}

// ClientGone is the error for a client that has closed the connection. The error is only logged, with a status of
// nginx.
func ClientGone(err error) *Error {
	return &Error{Status: 499, Code: "calendar_client_gone", Err: err}
}

// Envelope returns the envelope and the envelope's code.
func (e *Error) Envelope(texts i18n.Catalog) (code string, body []byte) {
	if faults, ok := e.Err.(mapping.Faults); ok {
		return faults.Body(texts)
	}
	message := strings.TrimSpace(texts.Text("error."+e.Code, e.Args) + " " + e.Note)
	return e.Code, mapping.ErrorBody(e.Code, message, e.Status, e.Data...)
}

// RetryAfter returns a header with Retry-After.
func RetryAfter(d time.Duration) http.Header {
	return http.Header{"Retry-After": {strconv.Itoa(Seconds(d))}}
}

// Seconds rounds up to whole seconds, so that a client that waits for them has waited enough.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// IsPreferred reports whether a client prefers problem details to the envelope.
func IsPreferred(accept []string) bool { return Prefers(accept, MediaType) }

// Prefers reports whether a client names a media type with more weight than JSON (RFC 9110, 12.5.1). A range such as
// */* is not enough: a client that does not name the type may not know the type.
func Prefers(accept []string, mediaType string) bool {
	weights := map[string]float64{} // of media ranges: 1 without a q, 0 with an invalid q
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		if media, params, err := mime.ParseMediaType(item); err == nil {
			if q, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64); err == nil && q >= 0 && q <= 1 {
				weights[media] = q
			} else {
				weights[media] = 0
			}
		}
	}
	for _, json := range []string{"application/json", "application/*", "*/*"} {
		if weight, ok := weights[json]; ok {
			return weights[mediaType] > weight
		}
	}
	return weights[mediaType] > 0
}
