package cache

import (
	"context"
	"slices"
)

// Pending waits until every purge made here is in the log that all instances share, or ctx
// is done. It returns the records of those that are not: the other instances do not know
// them, and entries in Redis may predate them. No purge may be made meanwhile.
func (c *Cache) Pending(ctx context.Context) [][]byte {
	r := &c.remote
	for r.redis != nil {
		changed := r.state.Changes()
		left := r.left()
		if len(left) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return left
		}
	}
	return nil
}

func (r *remote) left() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var records [][]byte
	for _, p := range r.pending {
		records = append(records, p.encode())
	}
	return records
}

// Restore appends records that Pending returned in an earlier process to the log. It is
// called before anything is served.
func (c *Cache) Restore(records [][]byte) {
	for _, record := range records {
		c.remote.wait(decodeRecord(record))
	}
}

// TagsOf returns the tags that records of Pending purge, sorted; "*" is everything.
func TagsOf(records [][]byte) []string {
	var tags []string
	for _, record := range records {
		p := decodeRecord(record)
		if p.All {
			tags = append(tags, "*")
		}
		tags = append(tags, p.Tags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
