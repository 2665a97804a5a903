package cache

import (
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }

const aLongTime = redistest.Deadline

var (
	eventually = redistest.Eventually
	must       = redistest.Must
)

// open opens a Redis and closes it with the test.
func open(t testing.TB, o redisstore.Options) *redisstore.Store {
	t.Helper()
	r, err := redisstore.Open(o)
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
