package jsonscan

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/mapping/recordedtest"
)

const notice = "<br />\n<b>Warning</b>:  Undefined array key \"x\" in <b>/var/www/a.php</b> on line <b>1</b><br />\n"

func TestDocument(t *testing.T) {
	for name, test := range map[string]struct {
		body, want string // "" wants no document
	}{
		"an object":                 {`{"id":5}`, `{"id":5}`},
		"a list":                    {`[{"id":5}]`, `[{"id":5}]`},
		"blank lines":               {"\n\n{\"id\":5}\n", "\n\n{\"id\":5}\n"},
		"a byte order mark":         {"\ufeff{\"id\":5}", `{"id":5}`},
		"a notice before it":        {notice + `{"id":5}`, `{"id":5}`},
		"a notice behind it":        {`{"id":5}` + notice, `{"id":5}`},
		"notices around an empty":   {notice + `[]` + notice, `[]`},
		"a comment behind it":       {`{"id":5}<!-- cached -->`, `{"id":5}`},
		"a date of a log before it": {`[22-Nov-2026 07:27:54 UTC] PHP Notice: x ` + `{"id":5}`, `{"id":5}`},
		"a trace before it":         {`#0 a.php(324): {closure}() #1 [internal function] #2 {main} {"code":"x"}`, `{"code":"x"}`},
		"a notice in a text":        {`{"title":"<b>Notice</b>: [{}]"}` + notice, `{"title":"<b>Notice</b>: [{}]"}`},

		"a notice in another encoding": {`{"id":5}` + "<b>H\xfclsen</b>", `{"id":5}`},

		"nothing":                       {"", ""},
		"a notice alone":                {notice, ""},
		"a page":                        {"<html><p>[a] {b}</p>", ""},
		"a word":                        {notice + `true`, ""},
		"two documents":                 {notice + `{"id":5}{"id":6}`, ""},
		"two with a notice between":     {`{"id":5}` + notice + `{"id":6}` + notice, ""},
		"a dump before it":              {`array [] ` + `{"id":5}`, ""},
		"a whole part of a broken one":  {notice + `{"events":[{"id":5}`, ""},
		"broken by a notice":            {`{"events":[{"id":5},` + notice, ""},
		"a broken one, then a good one": {notice + `{"events":[{"id":5},` + notice + `{"code":"x"}`, ""},
	} {
		got, ok := Document([]byte(test.body))
		if string(got) != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q, %t, want %q", name, got, ok, test.want)
		}
	}
}

// TestRecordedDocuments finds the document in the responses of a faulty site (recordings
// broken/en), and none in its HTML pages.
func TestRecordedDocuments(t *testing.T) {
	files := recordedtest.Files(t, "broken/en/*")
	padded := 0
	for _, file := range files {
		body, contentType := recordedBody(t, file)
		got, ok := Document(body)
		isJSON := strings.HasPrefix(contentType, "application/json") && len(body) > 0
		if ok != isJSON || ok && !json.Valid(got) {
			t.Errorf("%s: document %t, want %t: %.100q", filepath.Base(file), ok, isJSON, got)
		}
		if ok && len(got) < len(strings.TrimSpace(string(body))) {
			padded++
		}
	}
	t.Logf("%d recordings, %d with text around the document", len(files), padded)
	if padded < 12 {
		t.Errorf("only %d recordings have text around the document", padded)
	}
}

func recordedBody(t *testing.T, file string) (body []byte, contentType string) {
	t.Helper()
	r := recordedtest.Read(t, file)
	body = recordedtest.Text(r.Response.Body)
	if r.Response.BodyRaw != "" {
		body = []byte(r.Response.BodyRaw)
	}
	contentType, _ = r.Response.Headers["Content-Type"].(string)
	return body, contentType
}
