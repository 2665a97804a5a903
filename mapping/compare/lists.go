package compare

// key is what an element of a list is matched by: the hash of its id or of itself,
// and how many before it have the same.
type key struct {
	hash uint64
	nth  int
}

// list matches the elements of two lists. Elements that only one list has are paired
// with each other in order if they have no ids; so one change of one is one
// difference, and one more at the front is, too.
func (w *walker) list(p *location, a, b int, s scope) {
	inside := p.at([]byte(elements))
	if inside.is(ignored) {
		return
	}
	x, y := w.want.elements(a), w.got.elements(b)
	ids := !inside.at([]byte(idName)).is(ignored) && w.want.haveIDs(x) && w.got.haveIDs(y)
	at := make(map[key]int, len(y))
	for j, k := range w.rules.keys(w.got, y, inside, ids) {
		at[k] = j
	}
	var missing []int
	var pairs [][2]int // elements of both lists that match, in the order of the reference
	last, moved, matched := -1, false, make([]bool, len(y))
	for i, k := range w.rules.keys(w.want, x, inside, ids) {
		j, ok := at[k]
		if !ok {
			missing = append(missing, x[i])
			continue
		}
		moved = moved || j < last
		last, matched[j] = j, true
		if ids {
			both := s.of(w.want, x[i], inside)
			both.both = [2]int{x[i], y[j]}
			w.compare(inside, x[i], y[j], both)
			pairs = append(pairs, both.both)
		}
	}
	if moved && !p.is(set) && !(ids && w.inOrderButRetimed(inside, pairs)) {
		want, got := around(row(w.want, x, inside, ids), row(w.got, y, inside, ids))
		w.report(p, Difference{Kind: Order, Want: want, Got: got}, a, b, s.in(elements))
	}
	var extra []int
	for j := range y {
		if !matched[j] {
			extra = append(extra, y[j])
		}
	}
	w.unmatched(inside, missing, extra, ids, s)
}

// inOrderButRetimed reports whether items that both lists have at the same time are in the same
// order. An item at another time is at another place because of that, which is no difference
// beside that of the time. Values of the candidate are behind each other where its list has them
// so.
func (w *walker) inOrderButRetimed(inside *location, pairs [][2]int) bool {
	last := -1
	for _, both := range pairs {
		if w.retimed(inside, both[0], both[1]) {
			continue
		}
		if both[1] < last {
			return false
		}
		last = both[1]
	}
	return true
}

// retimed reports whether an item is at another time.
func (w *walker) retimed(inside *location, a, b int) bool {
	if inside.shape == nil {
		return false
	}
	for i := range inside.shape.Attributes {
		if at := &inside.shape.Attributes[i]; at.Orders() && w.differ(inside.at([]byte(at.Name)), at.Name, a, b) {
			return true
		}
	}
	return false
}

// differ reports whether a member of two objects differs, or one of them has none.
func (w *walker) differ(at *location, name string, a, b int) bool {
	i, ok := w.want.member(a, name)
	j, both := w.got.member(b, name)
	return ok != both || ok && w.rules.hash(w.want, i, at) != w.rules.hash(w.got, j, at)
}

// unmatched reports the elements that are in one list alone.
func (w *walker) unmatched(inside *location, missing, extra []int, ids bool, s scope) {
	if ids {
		for _, i := range missing {
			w.item(inside, Missing, w.want, i, s)
		}
		for _, j := range extra {
			w.item(inside, Extra, w.got, j, s)
		}
		return
	}
	n := min(len(missing), len(extra))
	for k := range n {
		w.compare(inside, missing[k], extra[k], s.in(string(w.want.raw(missing[k]))))
	}
	for _, i := range missing[n:] {
		w.only(inside, Missing, w.want, i, s.in(string(w.want.raw(i))))
	}
	for _, j := range extra[n:] {
		w.only(inside, Extra, w.got, j, s.in(string(w.got.raw(j))))
	}
}

// item reports an item that one list alone has.
func (w *walker) item(inside *location, kind Kind, t *tree, i int, s scope) {
	s = s.of(t, i, inside)
	d := Difference{Kind: kind, Cause: causeOfItem(w.resource, inside, kind, s.item, s.owner)}
	if kind == Missing {
		d.Want = s.item
		w.report(inside, d, i, none, s)
	} else {
		d.Got = s.item
		w.report(inside, d, none, i, s)
	}
}

// haveIDs reports whether all elements are items with an id.
func (t *tree) haveIDs(list []int) bool {
	for _, i := range list {
		if id, ok := t.member(i, idName); !ok || t.values[id].kind != '"' && t.values[id].kind != '0' {
			return false
		}
	}
	return true
}

// keys are what the elements of a list are matched by.
func (c *Comparer) keys(t *tree, list []int, inside *location, ids bool) []key {
	out := make([]key, len(list))
	seen := make(map[uint64]int, len(list))
	for n, i := range list {
		p := inside
		if ids {
			i, _ = t.member(i, idName)
			p = inside.at([]byte(idName))
		}
		h := c.hash(t, i, p)
		out[n] = key{h, seen[h]}
		seen[h]++
	}
	return out
}

// of is the scope of an item of a list.
func (s scope) of(t *tree, i int, inside *location) scope {
	id, _ := t.member(i, idName)
	text := string(t.text(id))
	s = s.in(text)
	s.item = show(t, id, inside.at([]byte(idName)))
	return s
}
