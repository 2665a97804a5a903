package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/rewrite"
	"github.com/calfacade/calfacade/proxy/problem"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// Client makes calls at a facade, or at a cache in front, as any client would.
type Client struct {
	Roots   []rewrite.RootURLs // of the facade, by language
	Agent   string             // the User-Agent
	MaxBody int64              // of a response, in bytes
	HTTP    *http.Client
}

// idle is how long a connection stays open without a call: each round of audit --every has a separate client.
const idle = 10 * time.Second

// atOnce is the number of items that are read at once: a site that is slow has a few workers of PHP.
const atOnce = 4

// NewHTTP returns a client for a [Client], which follows no redirects. 0 disables the timeout.
func NewHTTP(timeout time.Duration) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: atOnce, IdleConnTimeout: idle},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Get makes a call. A 404 is a result, which the cache stores too. The header is nil if there was no
// response.
func (c *Client) Get(ctx context.Context, call *mapping.Call, language string) (d compare.Document, header http.Header, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, LinkOf(c.Roots, language, call.Line()), nil)
	if err != nil {
		return d, nil, err
	}
	r.Header.Set("User-Agent", c.Agent)
	response, err := c.HTTP.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // the failure names the call
	}
	if err != nil {
		return d, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, c.MaxBody))
	s := response.StatusCode
	if err == nil && (s >= 500 || s == http.StatusTooManyRequests || s < 200 || s >= 300 && s < 400) {
		err = &statusError{status: s, header: response.Header}
	}
	return compare.Document{Status: s, Body: body}, response.Header, err
}

// statusError is a response that is no result of the call.
type statusError struct {
	status int
	header http.Header
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

// retryAfter returns the wait that a facade, a site or the circuit breaker asks for with an error; 0 without
// such a wait.
func retryAfter(err error) time.Duration {
	var header http.Header
	if e, ok := errors.AsType[*statusError](err); ok {
		header = e.header
	} else if e, ok := errors.AsType[*problem.Error](err); ok {
		header = e.Header
	}
	return min(upstream.RetryAfter(header), maxPatience)
}

// Reader makes a call of the neutral namespace in a language, given by its code. A
// response with an error status is no error; an error means that there is no response.
type Reader func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error)

// The limits of waiting for a site that sends Retry-After.
const (
	maxPatience = time.Minute // of one wait
	maxTries    = 5           // for one call
)

// Paced limits the calls per second of a reader, and waits and retries where an error asks for that. 0
// disables the limit.
func Paced(reader Reader, perSecond float64) Reader {
	limit := newLimiter(perSecond)
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		for try := 1; ; try++ {
			if err := limit.Wait(ctx); err != nil {
				return compare.Document{}, err
			}
			d, err := reader(ctx, call, language)
			wait := retryAfter(err)
			if wait == 0 || try == maxTries {
				return d, err
			}
			if !upstream.Sleep(ctx, wait) {
				return d, ctx.Err()
			}
		}
	}
}

func newLimiter(perSecond float64) *rate.Limiter {
	return rate.NewLimiter(cmp.Or(rate.Limit(perSecond), rate.Inf), 1) // 0 for no limit
}

// LinkOf returns the URL of a call, given by its path and query, in a language at a facade.
func LinkOf(roots []rewrite.RootURLs, language, call string) string {
	i := slices.IndexFunc(roots, func(r rewrite.RootURLs) bool { return r.Language == language })
	naming := rewrite.Naming(roots, i, language) // the query that a root needs for a language
	if strings.Contains(call, "?") {
		naming = strings.Replace(naming, "?", "&", 1)
	}
	return roots[i].Base() + call + naming
}
