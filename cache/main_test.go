package cache

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// TestMain lets more tests run at once than there are processors: most of the
// time they wait for servers to start, to die and to be found dead.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "5"); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const aLongTime = redistest.Deadline

var (
	eventually = redistest.Eventually
	must       = redistest.Must
)

// open opens a Redis and closes it with the test.
func open(t testing.TB, o RedisOptions) *Redis {
	t.Helper()
	r, err := OpenRedis(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
