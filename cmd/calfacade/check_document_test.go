package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping/tec"
	"github.com/calfacade/calfacade/proxy"
)

// TestCheckReportsTheDocument: a part of the description of the candidate's API that calls depend on and
// that is missing is a problem.
func TestCheckReportsTheDocument(t *testing.T) {
	t.Parallel()
	site := sim.New(sim.Options{Clock: noon})
	for _, test := range []struct{ name, old, new, problem, note string }{
		{name: "as ever"},
		{name: "a new parameter", old: `"name":"search"`,
			new: `"name":"slug","in":"query","schema":{"type":"string"}},{"name":"search"`},
		{name: "a lost parameter", old: `"name":"post_parent"`, new: `"name":"parent"`,
			problem: "the document of tec/v1 lacks parts that calls depend on: events.post_parent"},
		{name: "no document", old: `{`, new: `<`, note: "the document of tec/v1 at /docs cannot be read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			candidate := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.old == "" || !strings.HasSuffix(r.URL.Path, "/tec/v1/docs") {
					site.ServeHTTP(w, r)
					return
				}
				rec := httptest.NewRecorder()
				site.ServeHTTP(rec, r)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(test.old), []byte(test.new)))
			})
			c := stagedConfig(t, tec.Dialect, serveTest(t, site), serveTest(t, candidate))
			facade := proxy.New(options(c, zap.NewNop()))
			defer facade.Close()
			for _, f := range facade.Probe(t.Context()) {
				problems, notes := strings.Join(f.Problems, "\n"), strings.Join(f.Notes, "\n")
				if f.Backend == "new" && (!strings.Contains(problems, test.problem) || f.OK() != (test.problem == "") ||
					!strings.Contains(notes, test.note) || test.note == "" && strings.Contains(notes, "document")) {
					t.Errorf("%s: problems %s\nnotes %s", f.Name(), problems, notes)
				}
			}
		})
	}
}
