package proxy_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/legacyclients"
)

// siteOfRecordings is the URL of the recorded site, where the facade stands in this test.
const siteOfRecordings = "http://legacy.example"

// TestLegacyRecordings sends every recorded request as it was, in the legacy's names, through
// a facade before a legacy that answers with the recording. The response is the recorded one,
// byte for byte, except for the ones of testdata/legacy_recordings_differ.txt, which
// docs/migration.md explains.
func TestLegacyRecordings(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	var current recordedExchange
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.reply(w, r) }))
	defer legacy.Close()
	o := recordingOptions(legacy.URL)
	o.PublicURL = siteOfRecordings
	o.LegacyClients = &legacyclients.Options{Names: mapping.Backend{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}}
	facade := httptest.NewServer(proxy.New(o))
	defer facade.Close()

	results := recordedResults{differences: readDifferences(t, "testdata/legacy_recordings_differ.txt")}
	first := recordedResults{}
	for _, file := range recordedFiles(t) {
		current = readRecording(t, file)
		if !underNamespace.MatchString(current.Request.Path) || strings.Contains(current.Request.Path, "_fields=") {
			continue
		}
		equal := results.send(t, facade.URL, current.Request.Path, &current)
		if recordedtest.Part(file) == "1" {
			first.count(equal)
		}
	}
	results.end(t, "testdata/legacy_recordings_differ.txt", 1960)
	t.Logf("of the first part %d of %d", first.equal, first.equal+first.different)
}

// recordedResults are the results of recorded requests that are sent in the legacy's names.
type recordedResults struct {
	differences      []*difference
	equal, different int
}

func (r *recordedResults) count(equal bool) {
	if equal {
		r.equal++
	} else {
		r.different++
	}
}

// send sends what was recorded to a path of the facade, and reports whether the response is the
// recorded one.
func (r *recordedResults) send(t *testing.T, facade, path string, x *recordedExchange) (equal bool) {
	t.Helper()
	expected := differenceOf(r.differences, x.file)
	defer func() { r.count(equal) }()
	if expected != nil && expected.skipped {
		expected.used = true
		return false
	}
	t.Run(x.file, func(t *testing.T) {
		res, body := sendBody(t, facade, path, *x, recordedtest.Text(x.Request.Body))
		switch wrong := x.legacyDiffers(res, body); {
		case wrong == "":
			equal = true
		case expected != nil && (expected.status == res.StatusCode || expected.status == 0 && res.StatusCode == x.Response.Status):
			expected.used = true
		default:
			t.Error(wrong)
		}
		if links := res.Header.Values("Link"); !successorLink.MatchString(links[len(links)-1]) {
			t.Errorf("no successor: %q", links)
		}
	})
	return equal
}

// end fails for differences in file that are none, and if fewer than equal responses are equal.
func (r *recordedResults) end(t *testing.T, file string, equal int) {
	t.Helper()
	for _, d := range r.differences {
		if !d.used {
			t.Errorf("%s: nothing differs as %s", file, d.pattern)
		}
	}
	t.Logf("%d of %d recordings are answered byte for byte", r.equal, r.equal+r.different)
	if r.equal < equal {
		t.Errorf("only %d recordings are answered byte for byte", r.equal)
	}
}

var successorLink = regexp.MustCompile(`^<` + siteOfRecordings +
	`(/[a-z]{2,4})?/(wp-json|api)/calendar/events/v1[^>]*>; rel="successor-version"$`)

// legacyDiffers returns how a response in the legacy's names differs from the recorded one; ""
// if it does not. Header fields that the legacy has of its server, or for other origins, are
// not compared.
func (r *recordedExchange) legacyDiffers(res *http.Response, body []byte) string {
	if res.StatusCode != r.Response.Status {
		return fmt.Sprintf("status %d, want %d: %s", res.StatusCode, r.Response.Status, body)
	}
	for _, name := range []string{"X-TEC-Total", "X-TEC-TotalPages", "Location", "Content-Type"} {
		want, _ := r.Response.Headers[name].(string)
		if got := res.Header.Get(name); got != want {
			return fmt.Sprintf("%s %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"X-Calendar-Total", "X-WP-Total"} {
		if got := res.Header.Get(name); got != "" {
			return fmt.Sprintf("%s %s", name, got)
		}
	}
	if want, ok := r.Response.Headers["Link"].(string); ok && res.Header.Values("Link")[0] != want {
		return fmt.Sprintf("Link %q, want %s", res.Header.Values("Link"), want)
	}
	want := r.Sent()
	if r.Request.Method == http.MethodHead {
		want = nil
	}
	if !bytes.Equal(body, want) {
		return "body (-recording +got):\n" + cmp.Diff(string(want), string(body))
	}
	return ""
}
