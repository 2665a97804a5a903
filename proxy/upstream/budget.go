package upstream

import "sync"

// budget limits retries to a share of the calls: without it, retries multiply the load of a
// site that fails. It starts full, so that the first calls can be retried.
type budget struct {
	percent int

	mu       sync.Mutex
	percents int // saved; a retry costs 100
}

// maxSaved is the capacity of a budget, in percents.
const maxSaved = 10 * 100

func newBudget(percent int) *budget { return &budget{percent: percent, percents: maxSaved} }

// earn adds what a call earns.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.percents = min(b.percents+b.percent, maxSaved)
}

// spend takes a retry from the budget, if it has one.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.percents < 100 {
		return false
	}
	b.percents -= 100
	return true
}
