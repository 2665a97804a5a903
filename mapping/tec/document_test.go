package tec

import (
	_ "embed" // for the parts of the document
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// documentOf returns the recorded document of a language; it skips without recordings.
func documentOf(t *testing.T, language string) []byte {
	t.Helper()
	x := recordedtest.Read(t, recordedtest.Files(t, "tec/"+language+"/docs")[0])
	return x.Response.Body
}

// TestDocument: the document of the recorded site has all that the dialect sends, in each language.
func TestDocument(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		if lost, err := undocumented(documentOf(t, language)); err != nil || lost != nil {
			t.Errorf("%s: %q, %v", language, lost, err)
		}
	}
}

func TestDocumentChanges(t *testing.T) {
	text := string(documentOf(t, "en"))
	for _, test := range []struct {
		name, old, new string
		lost           []string
	}{
		{"a text", `Limit results to those matching a string.`, `Search.`, nil},
		{"what is not used", `"comment_status"`, `"comment"`, nil},
		{"a parameter that is lost", `"post_parent"`, `"parent"`, []string{"events.post_parent"}},
		{"a list that is lost", `"name":"organizer",`, `"name":"organizers",`, []string{"events.organizer"}},
		{"a field that is lost", `"state_province"`, `"region"`, []string{"venues.stateprovince"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lost, err := undocumented([]byte(strings.ReplaceAll(text, test.old, test.new)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.lost, lost); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, text := range []string{"", "[]", "<p>", "{}", `{"paths":[]}`} {
		if _, err := undocumented([]byte(text)); err == nil {
			t.Errorf("%q is a document", text)
		}
	}
}

// documentParts are the parts of the recorded document: the parameters of lists with their types, the fields of
// writes, and the members of items.
//
//go:embed testdata/document.txt
var documentParts string

// TestNames: the document has each filter and field that is sent, and no field that is not.
func TestNames(t *testing.T) {
	for _, resource := range []string{"events", "venues", "organizers"} {
		for _, p := range mapping.RowOf(resource, mapping.List, false).Params {
			part := "parameter " + strings.TrimSuffix(sentName(resource, p), "[]") + " of GET /" + resource + ":"
			if sent := sentName(resource, p) != ""; sent && !strings.Contains(documentParts, part) {
				t.Errorf("no %s", part)
			}
		}
		for _, p := range mapping.FieldsOf(resource) {
			part := "field " + nameOf(resource, p.Name) + " of POST /" + resource + "\n"
			if strings.Contains(documentParts, part) == isLacking(resource, p.Name) {
				t.Errorf("%s: %t", part, isLacking(resource, p.Name))
			}
		}
	}
}
