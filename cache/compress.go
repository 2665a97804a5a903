package cache

// compress returns e with its body compressed beside it, if that pays, and replaces e by
// it in memory if e is still there. A compressed entry differs in nothing else: not in its
// age, and not in which purges invalidate it.
func (c *Cache) compress(key string, e *Entry) *Entry {
	c.compressions <- struct{}{}
	defer func() { <-c.compressions }()
	compressed := c.options.Compress(e.Body)
	if compressed == nil {
		return e
	}
	both := e.withGzip(compressed)
	c.memory.replace(key, e, both)
	return both
}
