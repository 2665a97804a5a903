package redisstore

import (
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

const aLongTime = redistest.Deadline

var (
	eventually = redistest.Eventually
	must       = redistest.Must
)

func TestMain(m *testing.M) { redistest.Main(m) }

// open opens a Store and closes it with the test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	r, err := Open(o)
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
