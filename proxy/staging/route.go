package staging

// Route is the backend that serves a call.
type Route struct {
	Candidate bool // in place of the legacy
	Fallback  bool // to the legacy, if the candidate fails
}

// Route selects the backend for a call, and counts the call: the legacy, or candidate if the
// plan has this one.
func (m *Matrix) Route(candidate Candidate, c Cell, from Client) (r Route) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if have := m.cell(candidate, c); have != nil {
		r = have.route(from)
		have.count(r)
	}
	return r
}

// Foresee returns what Route would, and does not count the call. certain is false if Route
// selects at random.
func (m *Matrix) Foresee(candidate Candidate, c Cell, from Client) (r Route, certain bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(candidate, c)
	if have == nil {
		return Route{}, true
	}
	return have.route(from), !have.random(from)
}

// Count counts a call that has gone where Foresee said.
func (m *Matrix) Count(candidate Candidate, c Cell, r Route) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if have := m.cell(candidate, c); have != nil {
		have.count(r)
	}
}

// Compares reports whether responses to the calls of a cell are compared, if they are in the
// sample.
func (m *Matrix) Compares(candidate Candidate, c Cell) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	have := m.cell(candidate, c)
	return have != nil && c.Op == Read && have.State != Legacy
}

// cell returns nil if the plan has another candidate, or no such cell.
func (m *Matrix) cell(candidate Candidate, c Cell) *cell {
	if candidate.Name == "" || candidate != m.plan.Candidate {
		return nil
	}
	return m.cells[c]
}
