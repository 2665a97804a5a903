package audit

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

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// NewClient returns a function for [Check.Instance] that makes calls at an instance, or at a cache in front of
// it. roots are its roots by language; maxBody limits a response, in bytes.
func NewClient(roots []rewrite.Root, timeout time.Duration, maxBody int64) func(context.Context, *mapping.Call, string) (Answer, error) {
	links := survey.NewLinks(roots)
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, call *mapping.Call, language string) (Answer, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, links.Of(language, lineOf(call)), nil)
		if err != nil {
			return Answer{}, err
		}
		r.Header.Set("User-Agent", "calfacade audit")
		response, err := client.Do(r)
		if failed, ok := errors.AsType[*url.Error](err); ok {
			return Answer{}, failed.Err
		}
		if err != nil {
			return Answer{}, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
		if err != nil {
			return Answer{}, err
		}
		if s := response.StatusCode; s >= 500 || s == http.StatusTooManyRequests || s < 200 || s >= 300 && s < 400 {
			return Answer{}, fmt.Errorf("status %d", s)
		}
		cached, age := ageOf(response.Header)
		return Answer{compare.Document{Status: response.StatusCode, Body: body}, cached, age}, nil
	}
}

// ageOf reports whether a response is of a cache, and its age.
func ageOf(h http.Header) (cached bool, age time.Duration) {
	seconds, _ := strconv.Atoi(h.Get("Age"))
	hit := strings.Contains(strings.Join(h["Cache-Status"], ","), "; hit")
	return hit || seconds > 0, time.Duration(max(0, seconds)) * time.Second
}
