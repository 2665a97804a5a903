package upstream

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// noRouteSite is a site that has no route for anything.
type noRouteSite struct{}

// RoundTrip implements [http.RoundTripper].
func (noRouteSite) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusNotFound, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"code":"rest_no_route"}`)), Request: r,
	}, nil
}

// TestSlugsProveNothing: a client can choose slugs for which the site has no route. Such a call
// neither counts nor ends a row of calls that do.
func TestSlugsProveNothing(t *testing.T) {
	u := New("legacy", Options{Wrap: func(http.RoundTripper) http.RoundTripper { return noRouteSite{} }},
		[]Root{{Name: "en", URL: pausedRoot}}, new(Hosts))
	defer u.Close()
	slug, list := Request{Method: http.MethodGet, Target: `/events/by-slug/%5C`, Class: Read, Slug: true}, Request{Method: http.MethodGet, Target: "/events", Class: Read}
	for i, step := range []struct {
		call    Request
		missing bool
	}{{slug, false}, {slug, false}, {slug, false}, {slug, false}, {list, false}, {list, false}, {slug, false}, {list, true}, {slug, true}} {
		if got, _, err := u.Do(context.Background(), pausedRoot, step.call); err != nil || got.Status != http.StatusNotFound {
			t.Fatalf("call %d: %d, %v", i, got.Status, err)
		}
		if got := u.Stats()[0].NamespaceMissing; got != step.missing {
			t.Errorf("after call %d, %s: missing is %t", i, step.call.Target, got)
		}
	}
}
