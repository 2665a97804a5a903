package mapping

import (
	"net/http"
	"slices"
)

// Success returns the status of a response that did what the endpoint is for.
func (e *Endpoint) Success() int {
	if e.Action == Create {
		return http.StatusCreated
	}
	return http.StatusOK
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
	return status == http.StatusOK || status == http.StatusCreated
}
