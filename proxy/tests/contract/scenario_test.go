package contract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/proxy/facadetest"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestScenarios runs the files of testdata/scenarios through a facade before a
// fake legacy. The sections of a file, in order, any number of rounds:
//
//	-- options --   what differs from the usual: "cookies", "reject", "specification alone" (no extensions), "one root", "bare root", "docs", "pages URL",
//	                "max body N", "max url N", "any origin", "read only", "credentials" (that writes need),
//	                "as is" (updates), "strict" (handling of updates), "zone NAME" (of the site, or "hidden"), "shared root" (of
//	                all languages), "select HOW" (the languages), "directories" (English has one too), "alias CODE URL",
//	                "tell CODE WORD" (the site's name of a language), "host NAME" (Host of calls to the site),
//	                "gate FIELD" (header field sent with each call), "client credentials by NAME",
//	                "upstream CODE PATH" (the REST root of a language), "parameter NAME" (of the language),
//	                "wordpress URL" (that images are below), "vendor pages" (whose URLs may show its names)
//	-- request --   request line, header fields, an empty line, the body
//	-- upstream --  the call that must reach the legacy: request line, every header field that a client
//	                can influence, an empty line, the body; without this section none may
//	-- reply --     the response of the legacy: status, header fields, an empty line, the body
//	-- answer --    what the client must get: status, some header fields ("!Name" must be absent), an
//	                empty line, the body byte for byte, or "..." for any
//
// A write that needs a read first has two pairs of upstream and reply. Items and lists have more members than
// the files show: those without which they would be no items (see [proxytest.Marked]). A body
// loses the line end that txtar gives it. LEGACY is the URL of the fake legacy,
// FACADE the facade's public URL, <BOM> a byte order mark, and <FF> the byte 0xFF, which UTF-8
// never has.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			facadetest.NewScenario(t).Run(txtar.Parse(data))
		})
	}
}
