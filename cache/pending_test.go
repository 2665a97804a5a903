package cache

import (
	"context"
	"github.com/calfacade/calfacade/cache/redisstore"
	"strings"
	"sync/atomic"
	"testing"
)

// TestPendingPurges: a purge that no other instance received outlives its process if it is
// handed over to another one.
func TestPendingPurges(t *testing.T) {
	t.Parallel()
	shared := redisstore.Options{Budget: aLongTime}
	line, all := instancesOverRelay(t, &shared)
	cut, other := all[0], all[1]
	var n atomic.Int32
	serve(t, other, "k", made(&n, "old", long, "a"))
	serve(t, other, "kept", made(&n, "old", long, "b"))
	line.Cut(true)
	eventually(t, "breaker open", cut.remote.state.Lost)
	cut.Purge(t.Context(), Purge{Tags: []string{"a"}})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	left := cut.Pending(ended)
	if len(left) != 1 {
		t.Fatalf("left: %q", left)
	}
	cut.Close()

	next := start(t, Options{Shared: Redis(open(t, shared))})
	next.Restore(left)
	if left := next.Pending(t.Context()); left != nil {
		t.Errorf("still left: %q", left)
	}
	eventually(t, "the other instance receives it", func() bool {
		_, err := other.Serve(t.Context(), "k", failing(&n))
		return err != nil
	})
	if got := serve(t, other, "kept", failing(&n)); !strings.HasPrefix(got, "hit old ") {
		t.Errorf("what was not purged: %q", got)
	}
}
