package upstream

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
)

// noRouteSite is a site that has no route for anything. As WordPress, it refuses credentials
// before it looks for one.
type noRouteSite struct{}

// RoundTrip implements [http.RoundTripper].
func (noRouteSite) RoundTrip(r *http.Request) (*http.Response, error) {
	status := http.StatusNotFound
	body := `{"code":"rest_no_route"}`
	if r.Header.Get("Authorization") != "" {
		status = http.StatusUnauthorized
		body = `{"code":"incorrect_password"}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// TestClientsProveNothing: a client can choose slugs for which the site has no route, and wrong
// credentials. Such a call neither counts nor ends a row of calls that do.
func TestClientsProveNothing(t *testing.T) {
	u := New("legacy", Options{Wrap: func(http.RoundTripper) http.RoundTripper { return noRouteSite{} }},
		[]Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
	defer u.Close()
	get := func(path string) Request {
		return Request{Request: mapping.Request{Method: http.MethodGet, Path: path}, Class: Read}
	}
	list := get("/events")
	slug := get("/events/by-slug/%5C")
	refused := get("/events/5")
	slug.Slug = true
	refused.Header = http.Header{"Authorization": {"Basic eDp5"}}
	for i, step := range []struct {
		call    Request
		missing bool
	}{
		{
			call:    slug,
			missing: false,
		}, {
			call:    slug,
			missing: false,
		}, {
			call:    slug,
			missing: false,
		}, {
			call:    list,
			missing: false,
		}, {
			call:    refused,
			missing: false,
		}, {call: list, missing: false}, {call: slug, missing: false}, {call: refused, missing: false},
		{call: list, missing: true}, {call: slug, missing: true}, {call: refused, missing: true},
	} {
		if _, _, err := u.Do(context.Background(), pausedRoot, step.call); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if got := u.Stats()[0].NamespaceMissing; got != step.missing {
			t.Errorf("after call %d, %s: missing is %t", i, step.call.Path, got)
		}
	}
}
