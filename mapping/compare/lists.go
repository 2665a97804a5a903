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
		}
	}
	if moved && !p.is(set) {
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
