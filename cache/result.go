package cache

import (
	"context"
	"time"
)

// Fetch makes an answer from the source. Its context is a client's only where
// nobody else waits for the answer.
type Fetch func(ctx context.Context) (Fetched, error)

// Fetched is what a fetch made.
type Fetched struct {
	Entry *Entry
	Store bool // it may be kept; Entry.Life says how long
	Share bool // those who waited may have it too; implied by Store
}

// How says where an answer came from.
type How string

// The ways, in the words of RFC 9211 where it has them.
const (
	Hit     How = "hit"      // fresh
	Stale   How = "stale"    // while it is made anew, or because it could not be
	Miss    How = "uri-miss" // fetched
	Expired How = "expired"  // fetched, for what was there is too old (Cache-Status: fwd=stale)
	Renewed How = "request"  // fetched, for the request wanted that
)

// Result is an answer with what the moment says of it.
type Result struct {
	Entry     *Entry
	How       How
	Age       time.Duration // since its fetch began; 0 for a fetched one
	TTL       time.Duration // how long it is still fresh; negative for a stale one
	Stored    bool          // fetched, and kept
	Collapsed bool          // fetched by another request
	Err       error         // why a stale answer is given; nil where it is only being made anew
}
