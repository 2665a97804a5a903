package survey

import (
	"slices"
	"sync"
)

// together runs a and b concurrently, and waits for both.
func together(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// inOrder runs work for each input, n at once, and passes the results to take in the order of the
// inputs. It stops at the first error of take.
func inOrder[T, R any](n int, inputs []T, work func(T) R, take func(R) error) error {
	for some := range slices.Chunk(inputs, n) {
		results := make([]R, len(some))
		var all sync.WaitGroup
		for i := range some {
			all.Go(func() { results[i] = work(some[i]) })
		}
		all.Wait()
		for _, r := range results {
			if err := take(r); err != nil {
				return err
			}
		}
	}
	return nil
}
