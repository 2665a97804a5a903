package tec

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// answerer answers a request to a backend.
type answerer func(mapping.Request) (mapping.Reply, error)

// counts are the header fields of a list.
var counts = http.Header{"X-Wp-Total": {"1"}, "X-Wp-Totalpages": {"1"}}

// clientOf returns a client with answers to its requests, with status 200 unless the answer has one.
func clientOf(b mapping.API, language string, answer answerer) *client {
	return &client{API: b, env: mapping.Environment{
		Language: language,
		Send: func(_ context.Context, _ *mapping.Call, r mapping.Request) (mapping.Reply, error) {
			reply, err := answer(r)
			if reply.Status == 0 {
				reply.Status = http.StatusOK
			}
			return reply, err
		},
		Accept: func(context.Context, *mapping.Call, mapping.Reply) error { return nil },
		Zone:   func(context.Context) (*time.Location, error) { return nil, nil },
	}}
}

// requestOf returns the request of a call after its reads.
func requestOf(b mapping.API, c *mapping.Call, language string) mapping.Request {
	return clientOf(b, language, nil).request(c)
}

// convert converts the response to a call. The reads beside it are answered.
func convert(b mapping.API, c *mapping.Call, reply mapping.Reply, language string, answer answerer) (mapping.Reply, error) {
	return clientOf(b, language, answer).converted(context.Background(), c, reply)
}

// do makes a call. Its requests are answered.
func do(b mapping.API, c *mapping.Call, answer answerer) (mapping.Reply, error) {
	return clientOf(b, "", answer).Do(context.Background(), c)
}

// respond answers each request with a body.
func respond(body string) answerer {
	return func(mapping.Request) (mapping.Reply, error) {
		return mapping.Reply{Header: counts, Body: []byte(body)}, nil
	}
}

// TestPreview: the first read on the way is the one that is made first.
func TestPreview(t *testing.T) {
	for _, test := range []struct{ endpoint, item, query, body, preview string }{
		{"events.read", "5", "", "", ""},
		{"events.read_by_slug", "gala", "", "", "GET /tec/v1/events?_fields=id%2Cslug&per_page=10000&" +
			"status=publish%2Cpending%2Cdraft%2Cfuture%2Cprivate"},
		{"events.list", "", "tags=a", "", "GET /wp/v2/tags?_fields=id%2Cslug%2Cparent&page=1&per_page=100"},
		{"events.update", "5", "", `{"title":"T"}`, "GET /tec/v1/events/5"},
		{"tags.update", "5", "", `{"name":"x"}`, ""},
		{"events.create", "", "", `{"title":"T","status":"draft","start_date":"2027-01-01","end_date":"2027-01-01","venue":4,"tags":[3]}`,
			"GET /tec/v1/venues/4"},
		{"events.create", "", "", `{"title":"T","status":"draft","start_date":"2027-01-01","end_date":"2027-01-01","tags":[3]}`,
			"GET /wp/v2/tags?include=3"},
	} {
		preview, _ := clientOf(backend, "", nil).Preview(parse(t, test.endpoint, test.item, test.query, test.body))
		got := ""
		if preview.Path != "" {
			got = mappingtest.Line(preview)
		}
		if got != test.preview {
			t.Errorf("%s %s: got %q, want %q", test.endpoint, test.body, got, test.preview)
		}
	}
}
