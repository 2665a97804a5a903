package caching_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
)

// TestOnlyIfCached: a client that wants a stored response, and nothing else, makes no call (RFC 9111,
// 5.2.1.7). The directive has no effect on writes and on what calfacade makes by itself.
func TestOnlyIfCached(t *testing.T) {
	f := facadetest.NewCachedFacade(t, func(o *proxy.Options) { o.Docs = true })
	const only = "Cache-Control: max-stale=9, Only-If-Cached"
	for _, test := range []struct {
		line   string
		header []string
		want   string // status and number of calls
	}{
		{"GET /events/5", []string{only}, "504 0"},
		{"HEAD /events/5", []string{only}, "504 0"},
		{"GET /events/5", nil, "200 1"},
		{"GET /events/5", []string{only}, "200 0"},
		{"HEAD /events/5", []string{only}, "200 0"},
		{"GET /events/5", []string{only, "Authorization: Basic dTpw"}, "504 0"},
		{"GET /events/5?password=x", []string{only}, "504 0"},
		{"GET /events/5", []string{"Cache-Control: no-cache"}, "200 0"},
		{"GET /es/events/5", []string{only}, "504 0"},
		{"POST /tags {}", []string{only, "Content-Type: application/json"}, "400 0"},
		{"GET /doc", []string{only}, "200 0"},
	} {
		calls := f.Calls.Load()
		res, body := f.Send(test.line, test.header...)
		if got := fmt.Sprint(res.StatusCode, " ", f.Calls.Load()-calls); got != test.want {
			t.Errorf("%s %v: got %s, want %s: %s", test.line, test.header, got, test.want, body)
		}
		if res.StatusCode == 504 && res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %v: a 504 has %q", test.line, test.header, res.Header["Cache-Control"])
		}
	}
	f.Now.Add(int64(2 * time.Minute)) // the entry is stale
	if res, _ := f.Send("GET /events/5", only); res.StatusCode != 504 {
		t.Errorf("stale: %d", res.StatusCode)
	}
}
