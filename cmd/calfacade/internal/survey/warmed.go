package survey

import (
	"errors"
	"fmt"
	"io"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/report"
)

// Warmed is what a [Warmer] has done.
type Warmed struct {
	Cached   int64            `json:"cached"`            // responses that were in the cache
	Added    int64            `json:"added"`             // to the cache
	Foreign  int64            `json:"foreign"`           // responses without a Cache-Status of calfacade
	Resumed  int              `json:"resumed,omitempty"` // pages and items of the interrupted run
	Failed   int              `json:"failed"`            // calls
	Failures []report.Located `json:"failures"`          // the first of them
}

// Warmed returns what was done so far.
func (w *Warmer) Warmed() Warmed {
	return Warmed{w.hits.Load(), w.made.Load(), w.uncached.Load(), w.resumed, w.Failed, append([]report.Located{}, w.failures...)}
}

// Print writes the counts and the first failures.
func (w Warmed) Print(to io.Writer) error {
	_, err := fmt.Fprintf(to, "%d responses were in the cache, %d were added, %d calls failed\n", w.Cached, w.Added, w.Failed)
	if w.Resumed > 0 {
		_, _ = fmt.Fprintf(to, "%d pages and items had been requested by the interrupted run\n", w.Resumed)
	}
	if w.Foreign > 0 {
		_, _ = fmt.Fprintf(to, "%d responses have no Cache-Status of calfacade: is cache.enabled false, or is it another server?\n", w.Foreign)
	}
	return errors.Join(err, report.PrintFailures(to, w.Failures))
}
