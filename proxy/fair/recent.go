package fair

import "container/list"

// Recent keeps a value for each of the keys that were asked for most recently, so that
// memory is bounded whatever clients there are.
type Recent[K comparable, V any] struct {
	most  int
	order list.List // of *kept, the most recent first
	known map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key   K
	value V
}

// NewRecent keeps so many values at most.
func NewRecent[K comparable, V any](most int) *Recent[K, V] {
	return &Recent[K, V]{most: most, known: map[K]*list.Element{}}
}

// Get returns the value of a key, nil if there is none.
func (r *Recent[K, V]) Get(key K) *V {
	e := r.known[key]
	if e == nil {
		return nil
	}
	r.order.MoveToFront(e)
	return &e.Value.(*kept[K, V]).value
}

// Make returns the value of a key, a zero one if there was none.
func (r *Recent[K, V]) Make(key K) *V {
	if v := r.Get(key); v != nil {
		return v
	}
	if r.order.Len() == r.most {
		last := r.order.Back()
		delete(r.known, last.Value.(*kept[K, V]).key)
		r.order.Remove(last)
	}
	made := &kept[K, V]{key: key}
	r.known[key] = r.order.PushFront(made)
	return &made.value
}

// Oldest returns the value that the next new key takes the place of; nil if there is
// room.
func (r *Recent[K, V]) Oldest() *V {
	if r.order.Len() < r.most {
		return nil
	}
	return &r.order.Back().Value.(*kept[K, V]).value
}

// All yields what is kept, the most recent first.
func (r *Recent[K, V]) All(yield func(K, *V) bool) {
	for e := r.order.Front(); e != nil; e = e.Next() {
		k := e.Value.(*kept[K, V])
		if !yield(k.key, &k.value) {
			return
		}
	}
}
