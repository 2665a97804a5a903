// Package testwait waits, in tests, for what other goroutines and processes do. It is
// here because the tests of cache are the lowest that need it; tests of every package
// above may use it.
package testwait

import (
	"context"
	"testing"
	"time"
)

// Limit is a time that no passing test gets near. Only a failure takes as long.
const Limit = 30 * time.Second

// Until waits until ok returns true, with a pause between two calls.
func Until(t testing.TB, condition string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Limit)
	defer cancel()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("not in %v: %s", Limit, condition)
		case <-again.C:
		}
	}
}
