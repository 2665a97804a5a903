package progress

import (
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Checked is the progress of checking a recording. It is safe for concurrent use.
type Checked struct {
	done, all atomic.Int64 // files
	rate      Rate
}

// Set sets how many files are checked, of how many. An older number changes nothing.
func (c *Checked) Set(done, all int) {
	c.all.Store(int64(all))
	for {
		before := c.done.Load()
		if int64(done) <= before || c.done.CompareAndSwap(before, int64(done)) {
			return
		}
	}
}

// now returns the files per second, and the time that the others take.
func (c *Checked) now(at time.Time) (done, all int64, perSecond float64, left time.Duration) {
	done, all = c.done.Load(), c.all.Load()
	if perSecond = c.rate.Of(uint64(done), at); perSecond > 0 {
		left = time.Duration(float64(all-done) / perSecond * float64(time.Second))
	}
	return done, all, perSecond, left
}

func (c *Checked) text(at time.Time) string {
	done, all, perSecond, left := c.now(at)
	if all == 0 {
		return ""
	}
	text := fmt.Sprintf("checking the recording: %d of %d files, %.0f/s", done, all, perSecond)
	if perSecond > 0 {
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}

func (c *Checked) record(at time.Time, log *zap.Logger) {
	done, all, perSecond, left := c.now(at)
	if perSecond > 0 {
		log.Info("checking the recording", zap.Int64("files", done), zap.Int64("of", all),
			zap.Float64("per_second", perSecond), zap.Duration("left", left.Round(time.Second)))
	}
}
