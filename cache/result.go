package cache

import (
	"context"
	"time"
)

// Fetch fetches a response from the source. Its context is that of a request only if no other
// request waits for the response.
type Fetch func(ctx context.Context) (Fetched, error)

// Fetched is the result of a fetch.
type Fetched struct {
	Entry *Entry
	Store bool // it may be stored, for Entry.Life
	Share bool // requests that waited may be served it; implied by Store
}

// How is how a request was served.
type How string

// The values are the terms of RFC 9211 (Cache-Status) where it has them.
const (
	Hit     How = "hit"      // fresh
	Stale   How = "stale"    // while it is fetched again, or because that failed
	Miss    How = "uri-miss" // fetched
	Expired How = "expired"  // fetched, because the stored response is too old (fwd=stale)
	Renewed How = "request"  // fetched, because the request required it
)

// Result is a response, with how it was served.
type Result struct {
	Entry     *Entry
	How       How
	Age       time.Duration // since its fetch began
	TTL       time.Duration // how long it is still fresh; negative for a stale one
	Stored    bool          // fetched, and stored
	Collapsed bool          // fetched by another request
	Err       error         // why a stale response is served; nil during stale-while-revalidate

	// Fleeting reports that no other cache may serve the response again: a tag is in doubt or
	// was purged softly, a purge overtook the fetch, or this cache does not know the purges.
	Fleeting bool
}

// filled is the result of a flight.
type filled struct {
	result Result
	share  bool   // with the callers that waited
	pass   bool   // there is no result: every caller fetches alone
	found  *Entry // in Redis, in place of a result, or of an error: every caller judges it; nil: nothing was found
}
