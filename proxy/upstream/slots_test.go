package upstream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// take acquires n slots.
func (q *queue) take(t *testing.T, n int) (slots []*slot) {
	t.Helper()
	for range n {
		slot, err := q.acquire(t.Context(), Read)
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, slot)
	}
	return slots
}

// TestQueueOrder: of a client's calls the one that has waited longest gets the next slot,
// regardless of its class.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 8, time.Minute)
		slots := q.take(t, 2)
		order := make(chan int, 4)
		for i, r := range []Class{Read, Write, Read, Write} {
			go func() {
				slot, err := q.acquire(t.Context(), r)
				if err != nil {
					t.Error(err)
				}
				slots = append(slots, slot) // one at a time
				order <- i
			}()
			synctest.Wait()
		}
		if n, waiting := q.load(); n != 2 || waiting != 4 {
			t.Errorf("%d in flight, %d queued", n, waiting)
		}
		for want := range 4 {
			q.release(slots[want])
			if got := <-order; got != want {
				t.Errorf("%d got the slot of %d", got, want)
			}
		}
	})
}

// TestQueueSheds: a queue that grows refuses refreshes first, writes last.
func TestQueueSheds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turnedAway := map[Class][]int{}
		for queue := range 5 {
			for _, r := range []Class{Refresh, Read, Write} {
				q := newQueue(1, 4, time.Minute)
				q.take(t, 1)
				ctx, cancel := context.WithCancel(t.Context())
				for n := range queue {
					go func() { _, _ = q.acquire(context.WithValue(ctx, ClientKey{}, numbered(n)), Write) }()
				}
				synctest.Wait()
				result := make(chan error, 1)
				go func() {
					_, err := q.acquire(ctx, r)
					result <- err
				}()
				synctest.Wait()
				select {
				case err := <-result:
					if !errors.Is(err, ErrShed) {
						t.Error(err)
					}
					turnedAway[r] = append(turnedAway[r], queue)
				default:
				}
				cancel()
				synctest.Wait()
				if _, n := q.load(); n != 0 {
					t.Errorf("%d queued, want none", n)
				}
			}
		}
		want := map[Class][]int{Refresh: {0, 1, 2, 3, 4}, Read: {3, 4}, Write: {4}}
		if diff := cmp.Diff(want, turnedAway); diff != "" {
			t.Errorf("queues that shed (-want +got):\n%s", diff)
		}
		if _, err := newQueue(1, 4, time.Minute).acquire(t.Context(), Refresh); err != nil {
			t.Errorf("a slot is free, and a refresh is shed: %v", err)
		}
	})
}

func TestQueueWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 4, time.Second)
		slots := q.take(t, 1)
		began := time.Now()
		if _, err := q.acquire(t.Context(), Write); !errors.Is(err, ErrShed) {
			t.Error(err)
		}
		if elapsed := time.Since(began); elapsed != time.Second {
			t.Errorf("waited %s, want 1s", elapsed)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.acquire(ctx, Write); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that disconnected: %v", err)
		}
		q.release(slots[0])
		if _, err := q.acquire(t.Context(), Write); err != nil {
			t.Errorf("an abandoned call has the slot: %v", err)
		}
	})
}
