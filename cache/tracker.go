package cache

import "sync"

// tracker counts what is under way and can be waited for, also while more
// begins, which a sync.WaitGroup does not allow.
type tracker struct {
	mu   sync.Mutex
	n    int
	none sync.Cond // n is 0; its L is mu
}

func (t *tracker) begin() {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *tracker) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 {
		t.none.Broadcast()
	}
}

// wait returns once nothing is under way.
func (t *tracker) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.n > 0 {
		t.none.Wait()
	}
}
