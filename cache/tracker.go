package cache

import "sync"

// tracker counts work in progress. Unlike with a sync.WaitGroup, more may begin while a
// caller waits for it.
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

// wait returns once nothing is in progress.
func (t *tracker) wait() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.n > 0 {
		t.none.Wait()
	}
}
