package cache

import "fmt"

// Derive returns a result with another entry, which derive makes of the result's entry, such as a part of the response.
// The other entry has the tags, the life, the times and the position of the entry that it is made of, so that a purge
// of one is a purge of both. Derive stores it in memory under key if the cache has stored the other: then [Cache.Fresh]
// serves it, and until the entry that it is made of is replaced, Derive returns it again.
//
// Requests that need the same entry share one call of derive, which must depend on nothing but key and the entry.
func (c *Cache) Derive(key string, result Result, derive func(*Entry) (*Entry, error)) (Result, error) {
	source := result.Entry
	e := c.memory.get(key)
	if e.isOf(source) {
		result.Entry = e
		return result, nil
	}
	isStored := result.Stored || result.How == Hit || result.How == Stale
	derived, err, _ := c.derivations.Do(fmt.Sprint(key, " ", source.ETag, source.Created.UnixNano(), source.Position), func() (any, error) {
		e := c.memory.get(key)
		if e.isOf(source) {
			return e, nil // stored since the look-up above
		}
		e, err := derive(source)
		if err != nil {
			return nil, err
		}
		e.Source = source.ETag
		e.Tags = source.Tags
		e.Life = source.Life
		e.Aged = source.Aged
		e.Created = source.Created
		e.Position = source.Position
		if isStored {
			c.memory.set(key, e)
		}
		return e, nil
	})
	if err != nil {
		return Result{}, err
	}
	result.Entry = derived.(*Entry)
	return result, nil
}

// isOf reports whether e was derived from source.
func (e *Entry) isOf(source *Entry) bool {
	return e != nil && e.Source != "" && e.Source == source.ETag && e.Created.Equal(source.Created) && e.Position == source.Position
}
