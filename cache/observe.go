package cache

import "context"

// Observer observes calls on Redis. Its methods are called concurrently.
type Observer interface {
	// Call is called before a call on Redis with one of the names below. It returns the
	// context for that call, and a function that is called at its end.
	Call(ctx context.Context, name string) (_ context.Context, end func(error))

	// Carry adds to life, the context of work that outlives a request, what the observer
	// needs of the request that began the work.
	Carry(life, request context.Context) context.Context
}

// The calls on Redis that a request or a fetch waits for.
const (
	CallFind   = "find"   // reads an entry, and acquires the lease on its key
	CallWait   = "wait"   // waits for the holder of the lease
	CallPut    = "put"    // stores an entry, after the response
	CallAppend = "append" // appends a record to the purge log
)
