package mapping

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test -run ^TestContract$ -update .

// regenerate makes the tests of this package write the files that they check.
var regenerate = flag.Bool("update", false, "write generated files instead of comparing them")

// TestContract holds contract.txt to the table. A change of the contract is
// meant to be seen: it is a diff of that file.
func TestContract(t *testing.T) {
	const file = "contract.txt"
	want := Contract()
	if *regenerate {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs from the table; run go generate and look at the change (-table +file):\n%s", file, diff)
	}
}
