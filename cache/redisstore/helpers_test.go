package redisstore

import (
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

const aLongTime = testwait.Limit

// calmWait is a purge wait far above the delays of a busy machine. It bounds the calls of the
// follower, whatever the budget is: one that is late breaks the connection to the log and may open
// the breaker.
const calmWait = 2 * time.Second

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
