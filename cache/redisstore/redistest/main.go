package redistest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Main runs the tests of a package, more at once than there are processors: most of the
// time they wait for servers to start, to die and to be found dead.
func Main(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "5"); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
