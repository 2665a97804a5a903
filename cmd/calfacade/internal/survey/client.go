package survey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// Client makes calls at a facade, or at a cache in front of it, as any client would.
type Client struct {
	http    *http.Client
	links   Links
	agent   string
	maxBody int64
}

// ClientOptions are the options of a [Client].
type ClientOptions struct {
	Roots   []rewrite.Root // of the facade, by language
	Agent   string         // the User-Agent
	Timeout time.Duration  // of a call; 0 disables it
	MaxBody int64          // of a response, in bytes
}

// maxIdle is the number of idle connections, at least as many as a command has calls in flight.
const maxIdle = 256

// NewClient returns a client, which follows no redirects.
func NewClient(o ClientOptions) *Client {
	return &Client{
		http: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxIdle},
			Timeout:       o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		links: NewLinks(o.Roots), agent: o.Agent, maxBody: o.MaxBody,
	}
}

// Get makes a call. A 404 is a result, which the cache stores too. The header is nil if there was no
// response.
func (c *Client) Get(ctx context.Context, call *mapping.Call, language string) (d compare.Document, header http.Header, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.links.Of(language, LineOf(call)), nil)
	if err != nil {
		return d, nil, err
	}
	r.Header.Set("User-Agent", c.agent)
	response, err := c.http.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // the failure names the call
	}
	if err != nil {
		return d, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, c.maxBody))
	s := response.StatusCode
	if err == nil && (s >= 500 || s == http.StatusTooManyRequests || s < 200 || s >= 300 && s < 400) {
		err = &statusError{s, RetryAfter(response.Header)}
	}
	return compare.Document{Status: s, Body: body}, response.Header, err
}

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

// RetryAfter returns a Retry-After in seconds, as the facade writes it; 0 without one.
func RetryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, int(maxPatience/time.Second))) * time.Second
}
