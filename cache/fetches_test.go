package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestFetchPanics: a panic of a fetch reaches the caller that made it. Waiters get an error,
// and the next request fetches again.
func TestFetchPanics(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	began := make(chan struct{})
	release := make(chan struct{})
	cause := make(chan any)
	go func() {
		defer func() { cause <- recover() }()
		_, _ = c.ask(t.Context(), "k", func(context.Context, Reason) (Fetched, error) { // it does not return
			close(began)
			<-release
			panic("a bug")
		})
	}()
	<-began
	current, mine := c.fetches.join("k", nil)
	if mine {
		t.Fatal("no fetch is in progress")
	}
	close(release)
	if got := <-cause; got != "a bug" {
		t.Errorf("the fetching caller recovered %v", got)
	}
	<-current.done
	if !errors.Is(current.err, errPanicked) {
		t.Errorf("the waiters: %v", current.err)
	}
	var n atomic.Int32
	check(t, "the next", serve(t, c, "k", fetcher(&n, "1", long)), "uri-miss 1 age 0s ttl 1m0s")
}
