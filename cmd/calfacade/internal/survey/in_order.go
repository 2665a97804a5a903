package survey

import (
	"context"
	"iter"
	"sync"
)

// together runs a and b concurrently, and waits for both.
func together(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// inOrder runs work for each input, at most n at once, and passes the results to take in
// the order of the inputs. It stops at the first error of take, or when ctx ends.
func inOrder[T, R any](ctx context.Context, n int, inputs iter.Seq[T], work func(context.Context, T) R, take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan chan R, n-1) // one more is being awaited
	go func() {
		defer close(results)
		for input := range inputs {
			result := make(chan R, 1)
			select {
			case results <- result:
				go func() { result <- work(ctx, input) }()
			case <-ctx.Done():
				return
			}
		}
	}()
	var err error
	for result := range results {
		r := <-result
		if err == nil {
			if err = take(r); err != nil {
				cancel() // the running work ends early, and is awaited
			}
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	cancel()
	return err
}
