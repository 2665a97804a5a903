package telemetry

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Labels have values from closed sets alone, so that no client can make series:
// the table's endpoints, the languages, and the words below. Each word has its
// place in its list as number.

// NoEndpoint is a request that is for no row of the table, or was not routed.
const NoEndpoint = "none"

var endpointNames = func() []string {
	names := []string{NoEndpoint}
	for i := range mapping.Table {
		names = append(names, mapping.Table[i].Name())
	}
	return names
}()

// endpointNumbers is by the address of the row: a name is put together anew each
// time it is asked for.
var endpointNumbers = func() map[*mapping.Endpoint]int {
	numbers := map[*mapping.Endpoint]int{}
	for i := range mapping.Table {
		numbers[&mapping.Table[i]] = i + 1
	}
	return numbers
}()

func LanguageNumber(code string) int { return max(0, slices.Index(i18n.Codes, code)) }

var methodNames = []string{"other", "get", "head", "options", "write"}

func methodNumber(method string) int {
	switch method {
	case http.MethodGet:
		return 1
	case http.MethodHead:
		return 2
	case http.MethodOptions:
		return 3
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return 4
	}
	return 0
}

var statusNames = []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

func statusNumber(status int) int {
	if status < 100 || status > 599 {
		return 0
	}
	return status / 100
}

// The places that check a secret of the operator.
const (
	RenewPlace   = "renew"
	PurgePlace   = "purge"
	StagingPlace = "stage"
	StatusPlace  = "status"
	PprofPlace   = "pprof"
)

var secretPlaces = []string{PprofPlace, PurgePlace, RenewPlace, StagingPlace, StatusPlace}

// LogRequests selects the requests that have a record in the log.
type LogRequests string

// The choices.
const (
	LogAll    LogRequests = "all"
	LogErrors LogRequests = "errors" // 5xx
	LogNone   LogRequests = "none"
)

// Logs reports whether a response with a status has a record.
func (l LogRequests) Logs(status int) bool {
	return l != LogNone && (l != LogErrors || status >= http.StatusInternalServerError)
}

// RequestRecord is the message of the record of a request.
const RequestRecord = "request"

// EndpointLabel is the label of a row of the table; nil is noEndpoint.
func EndpointLabel(e *mapping.Endpoint) string { return endpointNames[endpointNumbers[e]] }

// MethodLabel is the label of a method.
func MethodLabel(method string) string { return methodNames[methodNumber(method)] }

// Outcome is where the answer to a request came from.
type Outcome uint8

const (
	NoCache Outcome = iota // a write, an error before the cache, what the table answers itself
	Hit
	Stale        // while it is made anew
	StaleIfError // since it could not be made anew, or not soon
	Miss
	Expired // there was one, too old to be given
	Renewed // the request wanted a fresh one
	Bypass  // credentials or a password
)

var outcomeNames = []string{"none", "hit", "stale", "stale_if_error", "miss", "expired", "renewed", "bypass"}

func (o Outcome) String() string { return outcomeNames[o] }

func OutcomeOf(got cache.Result) Outcome {
	switch got.How {
	case cache.Hit:
		return Hit
	case cache.Stale:
		if got.Err != nil {
			return StaleIfError
		}
		return Stale
	case cache.Expired:
		return Expired
	case cache.Renewed:
		return Renewed
	}
	return Miss
}
