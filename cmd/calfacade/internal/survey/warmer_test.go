package survey

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/rewrite"
)

// TestWarmSharedRoot: requests name a language that shares its root.
func TestWarmSharedRoot(t *testing.T) {
	var requested []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		requested = append(requested, r.URL.RequestURI())
	}))
	t.Cleanup(server.Close)
	facade := server.URL
	w := &Warmer{Client: &Client{HTTP: NewHTTP(0), MaxBody: 1 << 20, Roots: []rewrite.RootURLs{
		{Language: "en", Public: facade}, {Language: "es", Public: facade}, {Language: "de", Public: facade + "/de"},
	}}}
	list := mapping.SmallestList()
	item := &mapping.Call{Endpoint: mapping.ItemReads("events", "5", "")[0].Endpoint, Method: http.MethodGet, Item: "5"}
	for _, language := range []string{"en", "es", "de"} {
		for _, call := range []*mapping.Call{list, item} {
			if _, err := w.get(t.Context(), call, language); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{
		"/calendar/events/v1/events?per_page=1", "/calendar/events/v1/events/5",
		"/calendar/events/v1/events?per_page=1&i18n_language=es", "/calendar/events/v1/events/5?i18n_language=es",
		"/de/calendar/events/v1/events?per_page=1", "/de/calendar/events/v1/events/5",
	}
	if diff := cmp.Diff(want, requested); diff != "" {
		t.Errorf("(-want +requested):\n%s", diff)
	}
}

// leavingFacade responds to some calls with a list of many items, and then to no call.
type leavingFacade struct {
	responses int32
	failure   error // of the others
	calls     atomic.Int32
}

// RoundTrip implements [http.RoundTripper].
func (f *leavingFacade) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.calls.Add(1) > f.responses {
		return nil, f.failure
	}
	items := strings.Repeat(`{"id":1},`, 10) + `{"id":2},{"id":3},{"id":4}`
	body := `{"events":[` + items + `],"total":4,"total_pages":1}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Cache-Status": {"calfacade; hit"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestWarmGivesUp: without a connection, also later, there is one error, and no call is made for each
// that would fail too.
func TestWarmGivesUp(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	broken := &net.OpError{Op: "read", Err: io.ErrUnexpectedEOF}
	for name, test := range map[string]struct {
		facade  *leavingFacade
		aborted bool
		maximum int32 // calls
	}{
		"not running":    {&leavingFacade{failure: refused}, true, 1},
		"something else": {&leavingFacade{failure: broken}, false, 100},
		"stopped":        {&leavingFacade{responses: 3, failure: refused}, true, 7}, // four at once
		"a broken call":  {&leavingFacade{responses: 3, failure: broken}, false, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			client := &Client{HTTP: NewHTTP(0), MaxBody: 1 << 20, Roots: []rewrite.RootURLs{{Language: "en", Public: "http://facade.example"}}}
			client.HTTP.Transport = test.facade
			w := &Warmer{Client: client, Languages: []string{"en"}}
			var progress bytes.Buffer
			warmed, err := w.Run(t.Context(), &progress)
			if errors.Is(err, ErrNoFacade) != test.aborted || (warmed.Failed == 0) != test.aborted {
				t.Errorf("error %v, %d failed", err, warmed.Failed)
			}
			if n := test.facade.calls.Load(); n > test.maximum {
				t.Errorf("%d calls, want at most %d", n, test.maximum)
			}
		})
	}
}
