package compare

// Real compares a candidate with two readings of the reference, one before and one
// after it or both before. Real are the differences from both at the same path; what
// the reference differs in from itself is not due to the candidate, and is noise,
// reported as differences of the candidate from the first reading.
//
// A reference that differs from itself in [MaxDifferences] paths proves nothing:
// everything is noise then, but for what is known of the candidate, which is real.
func (c *Comparer) Real(endpoint string, first, again, candidate Document) (real, noise []Difference) {
	differing := c.find(endpoint, first, candidate)
	if len(differing) == 0 {
		return nil, nil
	}
	itself := c.withoutKnown().find(endpoint, first, again)
	if len(itself) == 0 {
		return differences(differing), nil
	}
	type one struct {
		at   uint64
		kind Kind
	}
	restless, still := map[uint64]bool{}, map[one]bool{}
	for i := range itself {
		restless[itself[i].at] = true
	}
	for _, d := range c.find(endpoint, again, candidate) {
		still[one{d.at, d.Kind}] = true
	}
	for _, d := range differing {
		if d.Known != "" || len(itself) < MaxDifferences && still[one{d.at, d.Kind}] && !restless[d.at] {
			real = append(real, d.Difference)
		} else {
			noise = append(noise, d.Difference)
		}
	}
	return real, noise
}
