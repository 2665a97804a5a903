package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

type testCaller struct{}

// callers counts the requests that have joined a shared fetch.
type callers struct{ atomic.Int32 }

func (c *callers) caller(ctx context.Context) any {
	c.Add(1)
	return ctx.Value(testCaller{})
}

func asCaller(t *testing.T, caller string) context.Context {
	return context.WithValue(t.Context(), testCaller{}, caller)
}

// TestRefusedToItsCaller: an error about one caller is returned to its requests alone. The others
// share one more fetch.
func TestRefusedToItsCaller(t *testing.T) {
	var waiting callers
	c := New(Options{Caller: waiting.caller})
	defer c.Close()
	began := make(chan bool)
	refuse := make(chan bool)
	refused := make(chan error, 2)
	go func() {
		_, err := c.ask(asCaller(t, "a"), "k", func(context.Context, Reason) (Fetched, error) {
			began <- true
			<-refuse
			return Fetched{Refused: true}, errDown
		})
		refused <- err
	}()
	<-began
	go func() {
		_, err := c.ask(asCaller(t, "a"), "k", func(context.Context, Reason) (Fetched, error) {
			t.Error("the refused caller fetches again")
			return Fetched{}, errDown
		})
		refused <- err
	}()
	eventually(t, "it has joined", func() bool { return waiting.Load() == 2 })
	var fetches sync.Map
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			caller := string(rune('b' + i))
			got, err := c.ask(asCaller(t, caller), "k", func(context.Context, Reason) (Fetched, error) {
				fetches.Store(caller, true)
				return Fetched{Entry: &Entry{Status: 200, Life: long}, Store: true}, nil
			})
			if err != nil || got.Entry.Status != 200 {
				t.Errorf("%s: %v", caller, err)
			}
		})
	}
	eventually(t, "all have joined", func() bool { return waiting.Load() == 10 })
	close(refuse)
	for range 2 {
		if err := <-refused; err == nil {
			t.Error("the refused caller has a response")
		}
	}
	group.Wait()
	n := 0
	fetches.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d fetched", n)
	}
}
