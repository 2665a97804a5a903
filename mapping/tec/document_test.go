package tec

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
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

// TestDocument: the document of the recorded site is the one that the dialect was made from, in
// each language. document.txt has its parts.
func TestDocument(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		text := documentOf(t, language)
		var d document
		if err := json.Unmarshal(text, &d, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(documentParts), "\n"), d.parts()); diff != "" {
			t.Errorf("document.txt (-is +want):\n%s", diff)
		}
		change, err := compareDocument(text)
		if err != nil || change.Changes != nil || change.Breaks {
			t.Errorf("%s: %+v, %v", language, change, err)
		}
	}
}

func TestDocumentChanges(t *testing.T) {
	text := string(documentOf(t, "en"))
	for _, test := range []struct {
		name, old, new string
		breaks         bool
		changes        []string
	}{
		{"a text", `Limit results to those matching a string.`, `Search.`, false, nil},
		{"what is not used", `"comment_status"`, `"comment"`, false, []string{"+ field comment of POST /events"}},
		{"a parameter that is lost", `"name": "post_parent"`, `"name": "parent"`, true,
			[]string{"+ parameter parent of GET /events: integer", "- parameter post_parent of GET /events: integer"}},
		{"a parameter of another type", `"string", "enum": ["publish", "pending", "draft", "future", "private"]`,
			`"string", "enum": ["publish"]`,
			true,
			[]string{"+ parameter status of GET /events: array of string publish",
				"- parameter status of GET /events: array of string publish, pending, draft, future, private"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			spaced := strings.NewReplacer(`": `, `":`, `, "`, `,"`)
			changed := strings.ReplaceAll(text, test.old, test.new)
			if changed == text {
				changed = strings.ReplaceAll(text, spaced.Replace(test.old), spaced.Replace(test.new))
			}
			change, err := compareDocument([]byte(changed))
			if err != nil || change.Breaks != test.breaks {
				t.Errorf("%+v %v", change, err)
			}
			for _, want := range test.changes {
				if !slices.Contains(change.Changes, want) {
					t.Errorf("no %q in %q", want, change.Changes)
				}
			}
			if test.changes == nil && change.Changes != nil {
				t.Errorf("%q", change.Changes)
			}
		})
	}
	for _, text := range []string{"", "[]", "<p>", "{}", `{"paths":[]}`} {
		if _, err := compareDocument([]byte(text)); err == nil {
			t.Errorf("%q is a document", text)
		}
	}
}

// TestNames: the document has each filter and field that is sent, and no field that is not.
func TestNames(t *testing.T) {
	for _, resource := range []string{"events", "venues", "organizers"} {
		for _, p := range mapping.RowOf(resource, mapping.List, false).Params {
			part := "parameter " + strings.TrimSuffix(sentName(resource, &p), "[]") + " of GET /" + resource + ":"
			if sent := sentName(resource, &p) != ""; sent && !strings.Contains(documentParts, part) {
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
