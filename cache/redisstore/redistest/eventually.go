package redistest

import (
	"context"
	"testing"
	"time"
)

// Deadline is a deadline that no passing test gets near.
const Deadline = 30 * time.Second

// Eventually waits until ok returns true, with a pause between two calls.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("not in %v: %s", Deadline, what)
		case <-again.C:
		}
	}
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
