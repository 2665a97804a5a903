package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestDistilled: the recordings of the repository are distilled. To distil them again changes nothing, and finds no text
// that is neither seeded nor marked.
func TestDistilled(t *testing.T) {
	files, err := filepath.Glob("../../testdata/recordings/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	d := newDistiller()
	var sources []source
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			s := source{name: strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + f.Name, data: f.Data}
			if err := json.Unmarshal(f.Data, &s.exchange); err != nil {
				t.Fatal(file, f.Name, err)
			}
			d.learnRequest(s)
			sources = append(sources, s)
		}
	}
	for _, s := range sources {
		got, err := d.exchange(s)
		if err != nil {
			t.Fatal(s.name, err)
		}
		if !bytes.Equal(got, s.data) {
			t.Errorf("%s is not distilled (-file +got):\n%s", s.name, cmp.Diff(string(s.data), string(got)))
		}
	}
	for text, place := range d.unknown {
		t.Errorf("neither seeded nor marked: %s of %q", place, text)
	}
	if len(sources) < 4430 {
		t.Errorf("only %d recordings", len(sources))
	}
}

func TestMarkProse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"Error":                              "Error",
		"Too many of them.":                  "text-M1.",
		"Too many of them: 5":                "text-M1: 5",
		"Der Weg ist zu weit für Gäste":      "text-M2üä",
		"<b>Too many of them</b> in `a b c`": "<b>text-M1</b> in `a b c`",
		"Too many of them: tribe_events_cat": "text-M1: tribe_events_cat",
		"in /var/www/html/a b.php":           "in /var/www/html/a b.php",
		"text-01234567 {{en error.kept}}":    "text-01234567 {{en error.kept}}",
	} {
		want = strings.NewReplacer("text-M1", mark("Too many of them"), "text-M2üä", mark("Der Weg ist zu weit für Gäste")).Replace(want)
		if got := markProse(text, nil); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := markProse("the venue is not of an integer", []string{"params", "venue"}); got != "the venue "+mark("is not of an integer") {
		t.Error(got)
	}
	if got := mark(strings.Repeat("länger ", 50)); len(got) < 100 || len(got) > 200 || !strings.Contains(got, "ä") {
		t.Errorf("the mark of a long text is %q", got)
	}
}

func TestCatalogReference(t *testing.T) {
	for text, want := range map[string]string{
		"Ungültige(r) Parameter: id":          "{{de error.rest_invalid_param|Params=id}}",
		"wpml_language no es uno de en y es.": "{{es fault.enum|Param=wpml_language|List=en y es}}",
		"two words is not of type string.":    "",
		"Something else.":                     "",
	} {
		if got := catalogReference(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// recording is a file of "calfacade record", with the title of an event.
func recording(t *testing.T, title string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"recording.json": `{"version":1,"backends":[{"name":"legacy","roots":[{"language":"es","url":"https://www.example.org/es/wp-json"}]}]}`,
		"0f/es.GET.events.0f0123456789abcdef0123456789abcd.json": `{"root":"es","method":"GET","path":"/tribe/events/v1/events/5",` +
			`"query":"page=1","status":200,"header":{"X-Tec-Total":["1"]},"body":{"id":5,"title":"` + title + `",` +
			`"rest_url":"https:\/\/www.example.org\/es\/wp-json\/tribe\/events\/v1\/events\/5"}}`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRecorded: a recording of "calfacade record" becomes one of the tests, without the host of its site.
func TestRecorded(t *testing.T) {
	out := t.TempDir()
	var stderr strings.Builder
	if code := run([]string{"-out", out, "5=" + recording(t, "Feria del libro")}, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit status %d: %s", code, &stderr)
	}
	archive, err := txtar.ParseFile(filepath.Join(out, "5", "events.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"","as":"","note":"",` +
		`"request":{"method":"GET","path":"/es/wp-json/tribe/events/v1/events/5?page=1","headers":{},"body":null},` +
		`"response":{"status":200,"headers":{"Content-Type":"application/json; charset=UTF-8","X-Tec-Total":"1"},` +
		`"body":{"id":5,"title":"Feria del libro","rest_url":"https:\/\/legacy.example\/es\/wp-json\/tribe\/events\/v1\/events\/5"},` +
		`"body_raw":"{\"id\":5,\"title\":\"Feria del libro\",` +
		`\"rest_url\":\"https:\\/\\/legacy.example\\/es\\/wp-json\\/tribe\\/events\\/v1\\/events\\/5\"}"}}`
	var got bytes.Buffer
	if err := json.Compact(&got, archive.Files[0].Data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" || archive.Files[0].Name != "es/0f0123456789abcd.json" {
		t.Errorf("%s (-want +got):\n%s", archive.Files[0].Name, diff)
	}
}

// TestNeitherSeededNorMarked: a text with a word that is not seeded is an error, and nothing is written.
func TestNeitherSeededNorMarked(t *testing.T) {
	out := t.TempDir()
	var stderr strings.Builder
	code := run([]string{"-out", out, "5=" + recording(t, "Feria del Unheard")}, &stderr)
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 || code != 1 {
		t.Errorf("exit status %d, files %v, %v", code, entries, err)
	}
	const want = `distil: neither seeded nor marked: events/es/0f0123456789abcd.json: title: ["unheard"] of "Feria del Unheard"`
	if got, _, _ := strings.Cut(stderr.String(), "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
