package sim

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

// recordedTerm is the note of the recordings create-tags-by-* and create-categories-by-*.
var recordedTerm = regexp.MustCompile(`^the term is (\d+), ['"](.*)['"], slug (.*)$`)

// TestRecordedTerms gives events the recorded terms by id, name and slug, and looks these up, as the recordings do.
func TestRecordedTerms(t *testing.T) {
	for _, resource := range []string{"tags", "categories"} {
		for _, file := range recordedtest.Files(t, "events/en/create-"+resource+"-by-*") {
			x := recordedtest.Read(t, file)
			name := filepath.Base(recordedtest.Name(file))
			t.Run(name, func(t *testing.T) {
				c := newClient(t).as("admin")
				note := recordedTerm.FindStringSubmatch(x.Note)
				noted, name, slug := note[1], note[2], note[3]
				if name == "Food & Drink" || slug == "kids" || slug == "free-entry" {
					t.Skip("the seed has a term like it")
				}
				term := c.send(201, "POST", api+"/"+resource, `{"name":`+quoted(name)+`,"slug":`+quoted(slug)+`}`)
				id := itoa(int(term["id"].(float64)))
				body := strings.NewReplacer(`"`+noted+`"`, `"`+id+`"`, `[`+noted+`]`, `[`+id+`]`).Replace(compact(t, x.Request.Body))
				if got, want := shownTerms(c.send(201, "POST", api+"/events", body)[resource]), recordedNames(t, x, resource, noted, id); got != want {
					t.Errorf("event with %s: got %s, want %s", body, got, want)
				}
				example := regexp.MustCompile(`^create-[a-z]+-by-(?:id-text|[a-z]+)-`).ReplaceAllString(filepath.Base(recordedtest.Name(file)), "")
				for _, kind := range []string{"slug", "slug-of-name", "search"} {
					y := recordedtest.Read(t, recordedtest.Files(t, resource+"/en/list-"+kind+"-"+example)[0])
					asked, err := url.Parse(y.Request.Path)
					if err != nil {
						t.Fatal(err)
					}
					got := strings.Contains(shownTerms(c.send(200, "GET", api+"/"+resource+"?"+asked.RawQuery, "")[resource]), "|"+name+"|")
					if want := strings.Contains(recordedNames(t, y, resource, noted, id), "|"+name+"|"); got != want {
						t.Errorf("%s: found is %t, want %t", asked.RawQuery, got, want)
					}
				}
			})
		}
	}
}

func compact(t *testing.T, body []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, body); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// shownTerms returns the names of terms, each between bars.
func shownTerms(terms any) string {
	out := "|"
	list, _ := terms.([]any)
	for _, term := range list {
		out += strings.ReplaceAll(term.(map[string]any)["name"].(string), "&amp;", "&") + "|"
	}
	return out
}

// recordedNames is shownTerms of a recorded response, with another id of the term.
func recordedNames(t *testing.T, x recordedtest.Exchange, resource, noted, id string) string {
	var body map[string]any
	if err := json.Unmarshal(x.Response.Body, &body); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(shownTerms(body[resource]), "|"+noted+"|", "|"+id+"|")
}
