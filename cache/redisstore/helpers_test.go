package redisstore

import (
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

const aLongTime = testwait.Limit

var (
	eventually = testwait.Until
	must       = redistest.Must
)

func TestMain(m *testing.M) { testwait.MainIdle(m) }

// open opens a Store and closes it with the test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	r, err := Open(o)
	return redistest.Closing(t, r, err)
}
