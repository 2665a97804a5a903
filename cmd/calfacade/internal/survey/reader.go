package survey

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// Reader makes a call of the neutral namespace in a language, given by its code. A
// response with an error status is no error; an error means that there is no response.
type Reader func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error)

// Paced limits the calls per second of a reader; 0 disables the limit.
func Paced(read Reader, perSecond float64) Reader {
	if perSecond == 0 {
		return read
	}
	limit := rate.NewLimiter(rate.Limit(perSecond), 1)
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		if err := limit.Wait(ctx); err != nil {
			return compare.Document{}, err
		}
		return read(ctx, call, language)
	}
}

// The limits of waiting for a site that sends Retry-After.
const (
	maxPatience = time.Minute // of one wait
	maxTries    = 5           // for one call
)

// Patient makes a reader wait and retry. after returns how long an error asks it to
// wait; 0 returns the error.
func Patient(read Reader, after func(error) time.Duration) Reader {
	return func(ctx context.Context, call *mapping.Call, language string) (compare.Document, error) {
		for try := 1; ; try++ {
			d, err := read(ctx, call, language)
			wait := min(after(err), maxPatience)
			if wait <= 0 || try == maxTries {
				return d, err
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return d, ctx.Err()
			}
		}
	}
}
