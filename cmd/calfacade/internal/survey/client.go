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

	"golang.org/x/time/rate"

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

// Reader makes a call of the neutral namespace in a language, given by its code. A
// response with an error status is no error; an error means that there is no response.
type Reader func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error)

// The limits of waiting for a site that sends Retry-After.
const (
	maxPatience = time.Minute // of one wait
	maxTries    = 5           // for one call
)

// Paced limits the calls per second of a reader, 0 for no limit, and makes it wait and retry: after
// returns how long an error asks it to wait, 0 for an error to return.
func Paced(read Reader, perSecond float64, after func(error) time.Duration) Reader {
	limit := limiter(perSecond)
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		for try := 1; ; try++ {
			if err := limit.Wait(ctx); err != nil {
				return compare.Document{}, err
			}
			d, err := read(ctx, call, language)
			wait := min(after(err), maxPatience)
			if wait <= 0 || try == maxTries {
				return d, err
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return d, ctx.Err()
			}
		}
	}
}

func limiter(perSecond float64) *rate.Limiter {
	if perSecond == 0 {
		return rate.NewLimiter(rate.Inf, 1)
	}
	return rate.NewLimiter(rate.Limit(perSecond), 1)
}

// Links are the URLs of calls at a facade.
type Links struct {
	bases  map[string]string // URL of the namespace, by language
	naming map[string]string // query that a root needs for a language, see [rewrite.Naming]
}

// NewLinks returns the links of a facade with these roots.
func NewLinks(roots []rewrite.Root) Links {
	l := Links{map[string]string{}, map[string]string{}}
	for i, root := range roots {
		l.bases[root.Language] = root.Base()
		l.naming[root.Language] = rewrite.Naming(roots, i, root.Language)
	}
	return l
}

// Of returns the URL of a call, given by its path and query, in a language.
func (l Links) Of(language, call string) string {
	naming := l.naming[language]
	if strings.Contains(call, "?") {
		naming = strings.Replace(naming, "?", "&", 1)
	}
	return l.bases[language] + call + naming
}
