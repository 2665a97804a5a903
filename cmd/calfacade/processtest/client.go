package processtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping/mappingtest"
)

// Send sends r, follows nothing, and reads the answer to its end.
func Send(t *testing.T, r *http.Request) (*http.Response, []byte) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return res, body
}

// vendor matches texts of the legacy that must not be seen: the names of its plugins, and
// WordPress's own routes.
var vendor = regexp.MustCompile(`(?i)tribe|\btec\b|\btec_|x-tec|wpml|wp(/|%2f)v2|rest_route`)

// Mentions reports whether s has something that vendor matches. It looks for parts of
// that first: the race detector makes the expression tens of times slower.
func Mentions(s string) bool {
	lower := strings.ToLower(s)
	return slices.ContainsFunc(vendorParts, func(part string) bool { return strings.Contains(lower, part) }) && vendor.MatchString(s)
}

// vendorParts are in whatever vendor matches, at least one of them.
var vendorParts = []string{"tribe", "tec", "wpml", "v2", "rest_route"}

// slugAtEnd matches the end of the URL of a page, which people's own words made.
var slugAtEnd = regexp.MustCompile(`(/)[^/?]+/$|(\?\w+=)[^&]+$`)

// prose are the names of texts that people write, where anything may stand.
var prose = []string{
	"title", "description", "excerpt", "website", "sameAs", "name", "venue", "organizer", "address", "slug", "cost",
}

// CheckLeaks fails if an answer shows anything of the legacy, which is at
// legacy. Every test of this package that gets an answer hands it here.
func CheckLeaks(t *testing.T, h http.Header, body []byte, legacy string) {
	t.Helper()
	for name, values := range h {
		if name == "X-Request-Id" {
			continue // random letters: now and then they make any short word
		}
		if s := name + ": " + strings.Join(values, ", "); Mentions(s) || strings.Contains(s, legacy) {
			t.Errorf("leak: header %s", s)
		}
	}
	if len(body) == 0 {
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("leak: the body is no JSON: %v: %.200s", err, body)
	}
	for _, leak := range LeaksIn("", v, legacy) {
		t.Errorf("leak: %s", leak)
	}
}

// LeaksIn walks an answer. It knows nothing of the table on purpose. Pages of
// the legacy site stay where they are; its REST interface must not show.
func LeaksIn(path string, v any, legacy string) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if Mentions(name) {
				out = append(out, path+"."+name)
			}
			if _, text := inner.(string); !text || !slices.Contains(prose, name) {
				out = append(out, LeaksIn(path+"."+name, inner, legacy)...)
			}
		}
	case []any:
		for i, inner := range v {
			out = append(out, LeaksIn(fmt.Sprintf("%s[%d]", path, i), inner, legacy)...)
		}
	case string:
		value := v
		if strings.HasPrefix(v, legacy) {
			if strings.HasSuffix(path, ".url") && legacy != Pages { // where pages are shown elsewhere, no URL has the type
				value = mappingtest.WithoutDraftType(value)
			}
			value = slugAtEnd.ReplaceAllString(value, "$1$2")
		}
		if Mentions(value) || strings.HasPrefix(v, legacy) && strings.Contains(v, "wp-json") {
			out = append(out, path+": "+v)
		}
	}
	return out
}

// Dial opens a connection that the end of the test closes.
func Dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(Patience + 30*time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// Load sends requests from several clients at once.
type Load struct {
	*testing.T
	Stop     context.CancelFunc
	Clients  sync.WaitGroup
	answered atomic.Int64
	failed   atomic.Int64
	Changed  chan struct{}
}

// Once sends one request, which must be answered with 200.
func (l *Load) Once(client *http.Client, url string) {
	res, err := client.Get(url)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	if err != nil || res.StatusCode != http.StatusOK {
		l.failed.Add(1)
		l.Errorf("a request failed: %v", err)
	}
	l.answered.Add(1)
	select {
	case l.Changed <- struct{}{}:
	default:
	}
}

// AwaitRequests waits for n more answers.
func (l *Load) AwaitRequests(n int64) {
	for enough := l.answered.Load() + n; l.answered.Load() < enough; {
		<-l.Changed
	}
}

// End stops the clients.
func (l *Load) End() {
	l.Stop()
	l.Clients.Wait()
	l.Logf("%d requests, %d failed", l.answered.Load(), l.failed.Load())
}
