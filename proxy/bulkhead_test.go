package proxy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fill takes n places.
func (b *bulkhead) fill(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := b.enter(t.Context(), reads); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBulkheadOrder: who waits longest gets the next place, whatever the rank.
func TestBulkheadOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBulkhead(2, 8, time.Minute)
		b.fill(t, 2)
		order := make(chan int, 4)
		for i, r := range []rank{reads, writes, reads, writes} {
			go func() {
				if err := b.enter(t.Context(), r); err != nil {
					t.Error(err)
				}
				order <- i
			}()
			synctest.Wait()
		}
		if in, waiting := b.inFlight.Load(), b.queued.Load(); in != 2 || waiting != 4 {
			t.Errorf("%d in flight, %d queued", in, waiting)
		}
		for want := range 4 {
			b.leave()
			if got := <-order; got != want {
				t.Errorf("%d got the place of %d", got, want)
			}
		}
	})
}

// TestBulkheadSheds: a queue that grows turns refreshes away first, writes last.
func TestBulkheadSheds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turnedAway := map[rank][]int{}
		for queue := range 5 {
			for _, r := range []rank{refreshes, reads, writes} {
				b := newBulkhead(1, 4, time.Minute)
				b.fill(t, 1)
				ctx, cancel := context.WithCancel(t.Context())
				for range queue {
					go func() { _ = b.enter(ctx, writes) }()
				}
				synctest.Wait()
				result := make(chan error, 1)
				go func() { result <- b.enter(ctx, r) }()
				synctest.Wait()
				select {
				case err := <-result:
					if !errors.Is(err, errShed) {
						t.Error(err)
					}
					turnedAway[r] = append(turnedAway[r], queue)
				default:
				}
				cancel()
				synctest.Wait()
				if n := b.queued.Load(); n != 0 {
					t.Errorf("%d queued, and nobody is", n)
				}
			}
		}
		want := map[rank][]int{refreshes: {0, 1, 2, 3, 4}, reads: {3, 4}, writes: {4}}
		if diff := cmp.Diff(want, turnedAway); diff != "" {
			t.Errorf("queues that turn away (-want +got):\n%s", diff)
		}
		if err := newBulkhead(1, 4, time.Minute).enter(t.Context(), refreshes); err != nil {
			t.Errorf("there is a place, and a refresh is turned away: %v", err)
		}
	})
}

func TestBulkheadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBulkhead(1, 4, time.Second)
		b.fill(t, 1)
		began := time.Now()
		if err := b.enter(t.Context(), writes); !errors.Is(err, errShed) {
			t.Error(err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %s, want 1s", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.enter(ctx, writes); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that hung up: %v", err)
		}
		b.leave()
		if err := b.enter(t.Context(), writes); err != nil {
			t.Errorf("who gave up has the place: %v", err)
		}
	})
}
