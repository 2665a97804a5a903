package facadetest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

type call struct{ request, reply string }

func (s *Scenario) serveLegacy(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	got := r.Method + " " + r.RequestURI + "\n"
	if !strings.HasSuffix(s.legacy.URL, "/"+r.Host) {
		got += "Host: " + r.Host + "\n"
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		value := strings.Join(r.Header[name], ", ")
		if value != plumbing[name] && name != "Content-Length" {
			got += name + ": " + value + "\n"
		}
	}
	if len(body) > 0 {
		got += "\n" + string(body) + "\n"
	}
	if len(s.expect) == 0 {
		s.t.Errorf("%s: the legacy must not be called: %s", s.line, got)
		return
	}
	next := s.expect[0]
	s.expect = s.expect[1:]
	if diff := cmp.Diff(next.request, got); diff != "" {
		s.t.Errorf("%s: call (-want +got):\n%s", s.line, diff)
	}
	reply(w, next.reply)
}

func reply(w http.ResponseWriter, text string) {
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimRight(head, "\n"), "\n")
	var status int
	_, _ = fmt.Sscan(lines[0], &status)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Content-Type" {
			w.Header().Del(name)
		}
		w.Header().Add(name, value)
	}
	w.WriteHeader(status)
	body = strings.TrimSuffix(body, "\n")
	if status < http.StatusMultipleChoices {
		body = proxytest.Marked(body)
	}
	_, _ = io.WriteString(w, body)
}

// plumbing are the header fields of a call that no client can influence, as long
// as they have these values.
var plumbing = map[string]string{
	"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "calfacade",
	"X-Request-Id": "scenario", // see exchange
}

type Scenario struct {
	t       *testing.T
	legacy  *httptest.Server
	Options proxy.Options

	vendorPages bool // see TestScenarios

	expect []call // that the legacy has yet to see
	line   string // of the request that is under way
}
