package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tagged returns a fetch of an entry whose ETag is the body, with the tag a.
func tagged(body string, store bool) Fetch {
	return func(context.Context, Reason) (Fetched, error) {
		e := &Entry{Status: 200, ETag: body, Body: []byte(body), Tags: []string{"a"}, Life: long, Aged: time.Second}
		return Fetched{Entry: e, Store: store, Share: store}, nil
	}
}

// derived serves "k", and derives "view" from its entry. made counts the derivations.
func (c *Cache) derived(t *testing.T, made *atomic.Int32, fetch Fetch) Result {
	t.Helper()
	whole, err := c.ask(t.Context(), "k", fetch)
	if err == nil {
		whole, err = c.Derive("view", whole, func(e *Entry) (*Entry, error) {
			made.Add(1)
			return &Entry{Status: 200, ETag: "v" + e.ETag, Body: append([]byte("v"), e.Body...)}, nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestDerive: a derived entry has the freshness and the age of its source, is served until that is purged or replaced,
// and is made once.
func TestDerive(t *testing.T) {
	now := new(clock)
	c := New(Options{Clock: now.time, Slow: time.Hour})
	defer c.Close()
	var made atomic.Int32
	want := func(step, body string, how How, age, ttl time.Duration, n int32) {
		t.Helper()
		r := c.derived(t, &made, tagged(body, true))
		got := fmt.Sprint(string(r.Entry.Body), r.How, r.Age, r.TTL, r.Entry.Aged, made.Load())
		if expected := fmt.Sprint("v"+body, how, age, ttl, time.Second, n); got != expected {
			t.Errorf("%s: got %s, want %s", step, got, expected)
		}
	}
	isFresh := func(step string, want bool) {
		t.Helper()
		if r, ok := c.Fresh(c.ReadLog(), "view"); ok != want || ok && r.How != Hit {
			t.Errorf("%s: fresh %t, want %t", step, ok, want)
		}
	}
	want("first", "1", Miss, 0, time.Minute, 1)
	isFresh("first", true)
	now.pass(20 * time.Second)
	want("from a stored one", "1", Hit, 20*time.Second, 40*time.Second, 1)
	c.Purge(t.Context(), Purge{Tags: []string{"a"}})
	isFresh("purged", false)
	want("purged", "2", Miss, 0, time.Minute, 2)
	isFresh("a second time", true)
	now.pass(59 * time.Second)
	isFresh("old", true)
	now.pass(2 * time.Second)
	isFresh("stale", false)
	c.Purge(t.Context(), Purge{Tags: []string{"a"}, Soft: true})
	c.running.Wait()
	want("of a stale one", "2", Stale, 61*time.Second, -time.Second, 2)
	c.running.Wait() // the refresh
	want("of a new one", "2", Hit, 0, time.Minute, 3)
	isFresh("of a new one", true)
}

// TestDeriveStoresNoMore: an entry that is derived from one that is not stored is not stored either, nor is an error.
func TestDeriveStoresNoMore(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	var made atomic.Int32
	for range 2 {
		if r := c.derived(t, &made, tagged("1", false)); string(r.Entry.Body) != "v1" {
			t.Errorf("got %s", r.Entry.Body)
		}
		if _, ok := c.Fresh(true, "view"); ok {
			t.Error("an entry that is not stored has a derived one")
		}
	}
	whole, err := c.ask(t.Context(), "l", tagged("1", true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Derive("view", whole, func(*Entry) (*Entry, error) { return nil, errDown }); !errors.Is(err, errDown) {
		t.Errorf("got %v", err)
	}
	if _, ok := c.Fresh(true, "view"); ok {
		t.Error("an error is stored")
	}
}

// TestDeriveOnce: requests at one moment make one entry.
func TestDeriveOnce(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	whole, err := c.ask(t.Context(), "k", tagged("1", true))
	if err != nil {
		t.Fatal(err)
	}
	var made, waiting atomic.Int32
	const requests = 10
	var group sync.WaitGroup
	release := make(chan struct{})
	for range requests {
		group.Go(func() {
			if waiting.Add(1) == requests {
				close(release)
			}
			r, err := c.Derive("view", whole, func(*Entry) (*Entry, error) {
				<-release
				made.Add(1)
				return &Entry{Status: 200, ETag: "v", Body: []byte("v")}, nil
			})
			if err != nil || string(r.Entry.Body) != "v" {
				t.Errorf("got %v, %v", r.Entry, err)
			}
		})
	}
	group.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}
