package cache

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type testCaller struct{}

func callerOf(ctx context.Context) any { return ctx.Value(testCaller{}) }

func as(t *testing.T, caller string) context.Context {
	return context.WithValue(t.Context(), testCaller{}, caller)
}

// TestWaiters: each caller that waits for a fetch is received, from before and after the call.
func TestWaiters(t *testing.T) {
	c := New(Options{Caller: callerOf})
	defer c.Close()
	began, listen, received := make(chan bool), make(chan bool), make(chan any, 10)
	var served sync.WaitGroup
	serve := func(caller string, fetch Fetch) {
		served.Go(func() {
			if _, err := c.ask(as(t, caller), "k", fetch); err != nil {
				t.Error(err)
			}
		})
	}
	serve("a", func(ctx context.Context) (Fetched, error) {
		began <- true
		<-listen
		received <- <-Waiters(ctx)
		received <- <-Waiters(ctx)
		return Fetched{Entry: &Entry{Status: 200}, Share: true}, nil
	})
	<-began
	flight, mine := c.fetches.join("k", nil)
	if mine {
		t.Fatal("no flight is in progress")
	}
	flight.joinedBy("b")
	listen <- true
	got := []any{<-received}
	serve("c", nil)
	got = append(got, <-received)
	served.Wait()
	if diff := cmp.Diff([]any{"b", "c"}, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	for range 2 * maxWaiters {
		flight.joinedBy("many") // does not block
	}
	if Waiters(t.Context()) != nil {
		t.Error("somebody waits for no fetch")
	}
}

// TestRefusedToItsCaller: an error about one caller is returned to it alone. The others
// share one more fetch.
func TestRefusedToItsCaller(t *testing.T) {
	c := New(Options{Caller: callerOf})
	defer c.Close()
	began, refuse := make(chan bool), make(chan bool)
	refused := make(chan error)
	go func() {
		_, err := c.ask(as(t, "a"), "k", func(context.Context) (Fetched, error) {
			began <- true
			<-refuse
			return Fetched{}, fmt.Errorf("not you: %w", ErrCaller)
		})
		refused <- err
	}()
	<-began
	flight, _ := c.fetches.join("k", nil)
	var fetches sync.Map
	var others sync.WaitGroup
	for i := range 8 {
		others.Go(func() {
			caller := string(rune('b' + i))
			got, err := c.ask(as(t, caller), "k", func(context.Context) (Fetched, error) {
				fetches.Store(caller, true)
				return Fetched{Entry: &Entry{Status: 200, Life: long}, Store: true}, nil
			})
			if err != nil || got.Entry.Status != 200 {
				t.Errorf("%s: %v", caller, err)
			}
		})
	}
	eventually(t, "all have joined", func() bool { return len(flight.others) == 8 })
	close(refuse)
	if err := <-refused; err == nil {
		t.Error("the refused caller has a response")
	}
	others.Wait()
	n := 0
	fetches.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d fetched", n)
	}
}
