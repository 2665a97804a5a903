package telemetry

import (
	"net/http"
	"slices"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/i18n"
	"github.com/calfacade/calfacade/mapping"
)

// Labels have values from closed sets alone, so that no client can create series: the
// endpoints of the table, the languages, and the words below. The number of a word is its
// index in its list.

// NoEndpoint labels requests that are for no row of the table, or were not routed.
const NoEndpoint = "none"

var endpointNames = func() []string {
	names := []string{NoEndpoint}
	for i := range mapping.Table {
		names = append(names, mapping.Table[i].Name())
	}
	return names
}()

// endpointNumbers is keyed by the address of the row, since [mapping.Endpoint.Name] builds the
// name in each call.
var endpointNumbers = func() map[*mapping.Endpoint]int {
	numbers := map[*mapping.Endpoint]int{}
	for i := range mapping.Table {
		numbers[&mapping.Table[i]] = i + 1
	}
	return numbers
}()

// LanguageNumber returns the number of a language among the labels, by its code.
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
	TesterPlace  = "tester"
	PurgePlace   = "purge"
	StagingPlace = "stage"
	StatusPlace  = "status"
	PprofPlace   = "pprof"
)

var secretPlaces = []string{PprofPlace, PurgePlace, RenewPlace, StagingPlace, StatusPlace, TesterPlace}

// LogRequests selects the requests that have a record in the log.
type LogRequests string

// The choices.
const (
	LogAll    LogRequests = "all"
	LogErrors LogRequests = "errors" // 5xx
	LogNone   LogRequests = "none"
)

// Logs reports whether a request with that status is logged.
func (l LogRequests) Logs(status int) bool {
	return l != LogNone && (l != LogErrors || status >= http.StatusInternalServerError)
}

// RequestRecord is the message of the record of a request.
const RequestRecord = "request"

// EndpointLabel returns the label of a row of the table; for nil NoEndpoint.
func EndpointLabel(e *mapping.Endpoint) string { return endpointNames[endpointNumbers[e]] }

// MethodLabel returns the label of a method.
func MethodLabel(method string) string { return methodNames[methodNumber(method)] }

// Outcome is the result of the cache for a request.
type Outcome uint8

// The outcomes.
const (
	NoCache Outcome = iota // a write, an error before the cache, or a local response
	Hit
	Stale        // during revalidation
	StaleIfError // revalidation failed, or is not due yet
	Miss
	Expired // a miss, with an entry that was too old
	Renewed // a miss, because the client asked for a fresh response
	Bypass  // credentials or a password
)

var outcomeNames = []string{"none", "hit", "stale", "stale_if_error", "miss", "expired", "renewed", "bypass"}

func (o Outcome) String() string { return outcomeNames[o] }

// OutcomeOf returns the outcome of a lookup.
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
