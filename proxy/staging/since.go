package staging

// Since is what was counted of a cell since its setting changed.
type Since struct {
	Counts
	Requests Sides
}

// minus subtracts n, down to 0.
func (s Since) minus(n Since) Since {
	less := func(a, b uint64) uint64 { return a - min(a, b) }
	return Since{
		Counts{less(s.Calls, n.Calls), less(s.Failures, n.Failures), less(s.Compared, n.Compared), less(s.Different, n.Different)},
		s.Requests.minus(n.Requests),
	}
}

// plus adds n.
func (s Since) plus(n Since) Since {
	s.add(n.Counts)
	s.Requests = s.Requests.plus(n.Requests)
	return s
}

// own returns what this instance has counted.
func (c *cell) own() Since { return Since{c.Counts, c.requests()} }

// sent returns the part of it that was added to the counts of all instances.
func (c *cell) sent() Since {
	return Since{c.Counts, c.sentRequests}.minus(Since{Counts: c.unsentSince})
}

// all returns what all instances have counted.
func (c *cell) all() Since { return c.own().plus(c.others) }
