package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testClaim: one of many instances gets a key, and the others get its record until the record is removed.
func testClaim(t *testing.T, o Options, _ redistest.Topology) {
	a := open(t, o)
	b := open(t, o)
	release := make(chan func(context.Context), 20)
	var winners atomic.Int32
	var calls sync.WaitGroup
	for i := range 20 {
		r := []*Store{a, b}[i%2]
		calls.Go(func() {
			claimed, err := r.Claim(background, "key", []byte("first"), time.Hour, time.Hour)
			switch {
			case err != nil:
				t.Error(err)
			case claimed.Release != nil:
				winners.Add(1)
				release <- claimed.Release
			case string(claimed.Record) != "first" || !claimed.Held:
				t.Errorf("record %q, held %t", claimed.Record, claimed.Held)
			}
		})
	}
	calls.Wait()
	if winners.Load() != 1 {
		t.Fatalf("%d instances got the key", winners.Load())
	}
	must(t, a.Record(background, "key", []byte("second\x00"), time.Hour))
	(<-release)(background)
	again, err := b.Claim(background, "key", []byte("third"), time.Hour, time.Hour)
	if err != nil || again.Release != nil || string(again.Record) != "second\x00" || again.Held {
		t.Errorf("after the release: %+v, %v", again, err)
	}
	must(t, b.Record(background, "key", nil, 0))
	free, err := a.Claim(background, "key", []byte("fourth"), time.Hour, time.Hour)
	if err != nil || free.Release == nil {
		t.Fatalf("after the removal: %+v, %v", free, err)
	}
	free.Release(background)
}

// testClaimRepeated: a client repeats a call whose answer was lost, and gets the lease that the first call acquired.
func testClaimRepeated(t *testing.T, o Options, _ redistest.Topology) {
	r := open(t, o)
	keys := []string{r.recordKey("key"), r.leaseKey("key")}
	for range 2 {
		answer, err := claim.Run(background, *r.client.Load(), keys, "record", 60_000, "token", 60_000).Slice()
		if err != nil || len(answer) != 0 {
			t.Errorf("%v, %v", answer, err)
		}
	}
}

// TestClaimDown: without Redis nobody gets a key.
func TestClaimDown(t *testing.T) {
	r := open(t, Options{URLs: []string{"redis://127.0.0.1:1"}, Timeout: time.Millisecond})
	claimed, err := r.Claim(background, "key", []byte("record"), time.Hour, time.Hour)
	if err == nil || claimed.Release != nil {
		t.Errorf("%+v, %v", claimed, err)
	}
	if err := r.Record(background, "key", nil, 0); err == nil {
		t.Error("a record without Redis")
	}
}
