package scale

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test -run ^TestDocument$ -update .

var update = flag.Bool("update", false, "write the tables of the document instead of comparing them")

// TestDocument compares the tables of docs/scaling.md with docs/pictures/scaling.csv.
func TestDocument(t *testing.T) {
	t.Parallel()
	const file = "../../../docs/scaling.md"
	rows := readRows(t, "../../../docs/pictures/scaling.csv")
	if len(rows) != len(Cases()) {
		t.Errorf("%d rows of %d cases: run TestTable", len(rows), len(Cases()))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, table := range Tables(rows) {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
		before, rest, found := strings.Cut(want, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no text between %q and %q", file, begin, end)
		}
		want = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s: the tables differ; run go generate (-want +got):\n%s", file, diff)
	}
}
