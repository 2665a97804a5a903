package rewrite

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
	"github.com/calfacade/calfacade/mapping/tribe"
)

// TestRecordedLegacyForms rewrites responses of real sites, and makes their legacy form: that is
// the recording, byte for byte, with the links to the namespace at the public URL.
func TestRecordedLegacyForms(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	forms := 0
	for _, file := range recordedtest.Files(t, "*/*/*") {
		if recordedtest.Kind(file) == "plain" || strings.Contains(file, "/shown-") {
			continue // the facade has no plain permalinks, and its default language no directory here
		}
		if checkRecordedLegacyForm(t, file) {
			forms++
		}
	}
	if forms < 1400 {
		t.Errorf("only %d legacy forms checked", forms)
	}
}

const recordedSite = "http://legacy.example"

var recordedNamespace = regexp.MustCompile(`^http://legacy\.example((?:/[a-z]{2})?)/wp-json/tribe/events/v1`)

// atPublic moves the links to the namespace in a decoded body, computed independently of the
// rewriter. Texts of people do not change.
func atPublic(public, name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = atPublic(public, name, inner)
		}
	case []any:
		for i := range v {
			v[i] = atPublic(public, name, v[i])
		}
	case string:
		if name != "website" && name != "description" {
			return recordedNamespace.ReplaceAllString(v, public+"$1/wp-json/tribe/events/v1")
		}
	}
	return v
}

func checkRecordedLegacyForm(t *testing.T, file string) (checked bool) {
	t.Helper()
	x := recordedtest.Read(t, file)
	body := x.Sent()
	e := recordedRow(x.Request.Method, x.Request.Path)
	if e == nil || e.Local() || strings.Contains(x.Request.Path, "rest_route") || strings.Contains(file, "odd-paths") ||
		!json.Valid(body) ||
		x.Response.Status < http.StatusBadRequest && body[0] != '{' {
		return false
	}
	call := &mapping.Call{Endpoint: e, Method: x.Request.Method, Item: "5", InLegacyNames: true}
	for _, public := range []string{recordedSite, "https://api.example"} {
		got, err := legacyFormsRewriter(public).Rewrite(t.Context(), call, 0, x.Response.Status, body)
		if err != nil {
			t.Fatal(file, err)
		}
		if public == recordedSite {
			if diff := gocmp.Diff(string(body), string(got.Body)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		} else if diff := gocmp.Diff(atPublic(public, "", decoded(t, body)), decoded(t, got.Body)); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", file, public, diff)
		}
	}
	return true
}

// legacyFormsRewriter shows the languages below public, as the recorded site does.
func legacyFormsRewriter(public string) *Rewriter {
	var roots []RootURLs
	for _, dir := range []string{"", "/es", "/de", "/fr"} {
		roots = append(roots, RootURLs{
			Language: cmp.Or(strings.TrimPrefix(dir, "/"), "en"),
			Upstream: "http://legacy.example" + dir + "/wp-json",
			Public:   public + dir + "/wp-json",
		})
	}
	b := mapping.API{Dialect: tribe.Dialect, LanguageParam: "wpml_language"}
	return New(b, roots, Spellings{Legacy: &LegacyNames{API: b}})
}
