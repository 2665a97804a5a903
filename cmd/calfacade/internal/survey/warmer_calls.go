package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// statusError is a response that is no result of the call.
type statusError struct {
	status int
	after  time.Duration // of Retry-After
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

// waitOf returns the wait that a facade requests with an error; 0 for none.
func waitOf(err error) time.Duration {
	if e, ok := errors.AsType[*statusError](err); ok {
		return e.after
	}
	return 0
}

// get makes a call as any client would. A 404 is a result, which the cache stores too.
func (w *Warmer) get(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
	if err := ctx.Err(); err != nil { // the client would make the call
		return compare.Document{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.links.Of(language, lineOf(call)), nil)
	if err != nil {
		return compare.Document{}, err
	}
	r.Header.Set("User-Agent", "calfacade warm")
	response, err := w.client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // the failure names the call
	}
	if err != nil {
		w.unreachable(ctx, err)
		return compare.Document{}, err
	}
	w.responded.Store(true)
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, w.maxBody))
	if err != nil {
		return compare.Document{}, err
	}
	if s := response.StatusCode; s >= 500 || s == http.StatusTooManyRequests || s < 200 || s >= 300 && s < 400 {
		return compare.Document{}, &statusError{s, RetryAfter(response.Header)}
	}
	w.count(response.Header.Get("Cache-Status"))
	return compare.Document{Status: response.StatusCode, Body: body}, nil
}

// count counts a response by its Cache-Status.
func (w *Warmer) count(status string) {
	switch {
	case strings.Contains(status, "calfacade; hit"):
		w.hits.Add(1)
	case strings.Contains(status, "calfacade; fwd="):
		w.made.Add(1)
	default:
		w.uncached.Add(1)
	}
}

// RetryAfter returns a Retry-After in seconds, as the facade writes it; 0 without one.
func RetryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, int(maxPatience/time.Second))) * time.Second
}
