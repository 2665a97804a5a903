package fair

import "container/list"

// Recent has a value for each of the keys that were used most recently: its memory is bounded
// whatever clients there are.
type Recent[K comparable, V any] struct {
	limit int
	order list.List // of *item, the most recent first
	known map[K]*list.Element
}

type item[K comparable, V any] struct {
	key   K
	value V
}

// NewRecent makes a Recent with at most so many values.
func NewRecent[K comparable, V any](limit int) *Recent[K, V] {
	return &Recent[K, V]{limit: limit, known: map[K]*list.Element{}}
}

// Get returns the value of a key, nil if there is none.
func (r *Recent[K, V]) Get(key K) *V {
	e := r.known[key]
	if e == nil {
		return nil
	}
	r.order.MoveToFront(e)
	return &e.Value.(*item[K, V]).value
}

// Make returns the value of a key. It adds a zero value if there is none.
func (r *Recent[K, V]) Make(key K) *V {
	if v := r.Get(key); v != nil {
		return v
	}
	if r.order.Len() == r.limit {
		last := r.order.Back()
		delete(r.known, last.Value.(*item[K, V]).key)
		r.order.Remove(last)
	}
	made := &item[K, V]{key: key}
	r.known[key] = r.order.PushFront(made)
	return &made.value
}

// Oldest returns the value that the next new key replaces; nil if there is room.
func (r *Recent[K, V]) Oldest() *V {
	if r.order.Len() < r.limit {
		return nil
	}
	return &r.order.Back().Value.(*item[K, V]).value
}

// All yields the keys and values, the most recent first.
func (r *Recent[K, V]) All(yield func(K, *V) bool) {
	for e := r.order.Front(); e != nil; e = e.Next() {
		k := e.Value.(*item[K, V])
		if !yield(k.key, &k.value) {
			return
		}
	}
}
