package legacyclients_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy"
	"github.com/calfacade/calfacade/proxy/facadetest"
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
	var current facadetest.RecordedExchange
	legacy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Reply(w, r) }))
	defer legacy.Close()
	o := facadetest.RecordingOptions(legacy.URL)
	o.PublicURL = siteOfRecordings
	o.LegacyClients = &legacyclients.Options{Names: mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}}
	facade := httptest.NewServer(proxy.New(o))
	defer facade.Close()

	results := recordedResults{differences: facadetest.ReadDifferences(t, "testdata/legacy_recordings_differ.txt")}
	first := recordedResults{}
	for _, file := range facadetest.RecordedFiles(t) {
		current = facadetest.ReadRecording(t, file)
		if !facadetest.UnderNamespace.MatchString(current.Request.Path) || strings.Contains(current.Request.Path, "_fields=") {
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
	differences      []*facadetest.Difference
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
func (r *recordedResults) send(t *testing.T, facade, path string, x *facadetest.RecordedExchange) (equal bool) {
	t.Helper()
	expected := facadetest.DifferenceOf(r.differences, x.File)
	defer func() { r.count(equal) }()
	if expected != nil && expected.Skipped {
		expected.Used = true
		return false
	}
	t.Run(x.File, func(t *testing.T) {
		res, body := facadetest.SendBody(t, facade, path, *x, recordedtest.Text(x.Request.Body))
		switch wrong := x.LegacyDiffers(res, body); {
		case wrong == "":
			equal = true
		case expected != nil && (expected.Status == res.StatusCode || expected.Status == 0 && res.StatusCode == x.Response.Status):
			expected.Used = true
		default:
			t.Error(wrong)
		}
		if links := res.Header.Values("Link"); !successorLink.MatchString(links[len(links)-1]) {
			t.Errorf("no successor: %q", links)
		}
	})
	return equal
}

// end fails for differences in file that do not exist, and if fewer than equal responses are equal.
func (r *recordedResults) end(t *testing.T, file string, equal int) {
	t.Helper()
	for _, d := range r.differences {
		if !d.Used {
			t.Errorf("%s: nothing differs as %s", file, d.Pattern)
		}
	}
	t.Logf("%d of %d recordings are answered byte for byte", r.equal, r.equal+r.different)
	if r.equal < equal {
		t.Errorf("only %d recordings are answered byte for byte", r.equal)
	}
}

var successorLink = regexp.MustCompile(`^<` + siteOfRecordings +
	`(/[a-z]{2,4})?/(wp-json|api)/calendar/events/v1[^>]*>; rel="successor-version"$`)
