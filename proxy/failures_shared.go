package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// sharedCodes are the codes of failures of the site. A call that this instance did not send
// means nothing to other instances.
var sharedCodes = []string{
	"calendar_upstream_failed", "calendar_upstream_invalid", "calendar_upstream_timeout", "calendar_upstream_unavailable",
}

var errElsewhere = errors.New("the call of another instance failed")

// SharedFailures encodes the failure of a fetch for the instances that wait for it, as status
// and code: "504:calendar_upstream_timeout".
func SharedFailures() cache.Failures { return cache.Failures{Code: failureCode, Error: failureOf} }

func failureCode(err error) string {
	var e *problem.Error
	if !errors.As(err, &e) || errors.Is(err, upstream.ErrNotSent) || !slices.Contains(sharedCodes, e.Code) {
		return ""
	}
	return fmt.Sprintf("%d:%s", e.Status, e.Code)
}

func failureOf(shared string) error {
	status, code, _ := strings.Cut(shared, ":")
	n, err := strconv.Atoi(status)
	if err != nil || n < 500 || n > 599 || !slices.Contains(sharedCodes, code) {
		return unavailable(errElsewhere) // of another version
	}
	return &problem.Error{Status: n, Code: code, Err: errElsewhere}
}
