package cache

import "context"

// An entry is kept as it was fetched, and completed once somebody wants what it
// lacks: to compress a list takes as long as half of its fetch, and there are
// clients that never ask for that.

// Finish has the entry of r, under key, completed in the background, for a client
// that got it as it is; whoever asks meanwhile gets it so too. It does nothing if
// the entry is complete, or not kept, or somebody does it already. If too many are
// being completed, the next one who asks has it done.
//
// The complete entry differs in nothing else from the one whose place it takes:
// not in its age, and not in which purges end it.
func (c *Cache) Finish(ctx context.Context, key string, r Result) {
	e, kept := r.Entry, r.Stored || r.How == Hit || r.How == Stale
	if !kept || !c.claim(key, e) {
		return
	}
	ctx = c.lasting(ctx)
	c.background(func() {
		defer c.finishing.Delete(key)
		c.remote.replace(ctx, key, e, c.finish(key, e))
	})
}

// claim says whether the caller is the one to complete e, the entry of key. It
// then has a place, which finish gives back, and the key, which is the caller's to
// delete. What memory does not keep is another entry in each lookup, so it is not
// enough that each is tried once.
func (c *Cache) claim(key string, e *Entry) bool {
	if c.options.Finish == nil || e.Complete || e.claimed.Load() {
		return false
	}
	select {
	case c.finishes <- struct{}{}:
	default:
		return false
	}
	_, running := c.finishing.LoadOrStore(key, true)
	if !running && e.claimed.CompareAndSwap(false, true) {
		return true
	}
	if !running {
		c.finishing.Delete(key)
	}
	<-c.finishes
	return false
}

// finish completes e, and keeps what comes of it in its place if e still stands
// there.
func (c *Cache) finish(key string, e *Entry) *Entry {
	defer func() { <-c.finishes }()
	finished := c.options.Finish(e)
	c.memory.replace(key, e, finished)
	return finished
}
