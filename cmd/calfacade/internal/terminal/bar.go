package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar shows how far a command is: as a bar on a terminal, and otherwise as a line every few seconds. It is safe for concurrent use, and ignores errors of drawing.
type Bar struct {
	bar *progressbar.ProgressBar

	lines io.Writer // nil on a terminal
	mu    sync.Mutex
	last  time.Time // of the last line
}

// The intervals at which progress is shown.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// NewBar returns the progress of a command with that stderr. The number of its steps is not known yet.
func NewBar(stderr io.Writer, what string) *Bar {
	b := &Bar{last: time.Now()}
	if !Is(stderr) { // an invisible bar would not count
		b.lines, stderr = stderr, io.Discard
	}
	b.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(barEvery), progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionClearOnFinish())
	return b
}

// Describe sets what the command does now.
func (b *Bar) Describe(what string) { b.bar.Describe(what) }

// Expect adds steps to those that are done, which are all.
func (b *Bar) Expect(more int) { b.bar.ChangeMax64(b.bar.State().CurrentNum + int64(more)) }

// Add counts a step.
func (b *Bar) Add() {
	_ = b.bar.Add(1)
	b.line()
}

// Set sets how many steps are done, of how many.
func (b *Bar) Set(done, all int) {
	if b.bar.GetMax() != all {
		b.bar.ChangeMax(all)
	}
	_ = b.bar.Set(done)
}

// line writes a line, if it is time for one.
func (b *Bar) line() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lines == nil || time.Since(b.last) < lineEvery {
		return
	}
	b.last = time.Now()
	s := b.bar.State()
	text := fmt.Sprintf("%s: %d", s.Description, s.CurrentNum)
	if s.Max > 0 {
		left := time.Duration(s.SecondsLeft * float64(time.Second))
		text += fmt.Sprintf(" of %d, %s left", s.Max, left.Round(time.Second))
	}
	_, _ = fmt.Fprintln(b.lines, text)
}

// Close removes the bar.
func (b *Bar) Close() { _ = b.bar.Finish() }
