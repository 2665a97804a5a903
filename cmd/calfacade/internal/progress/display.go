package progress

import (
	"io"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// Display shows the progress of a command. The zero Display logs.
type Display struct {
	line *terminal.Line // nil: no terminal
}

// New returns the display for stderr, and the writer that the command must use as stderr.
func New(stderr io.Writer) (Display, io.Writer) {
	if !terminal.Is(stderr) {
		return Display{}, stderr
	}
	line := terminal.NewLine(stderr)
	return Display{line}, line
}

// source is the progress that is shown.
type source interface {
	// text returns the state as a status line. The terminal cuts its end, so what matters most
	// comes first.
	text(now time.Time) string
	// record logs the state, if it has changed since the last record.
	record(now time.Time, log *zap.Logger)
}

// The intervals at which progress is shown.
const (
	lineEvery   = 200 * time.Millisecond
	recordEvery = 10 * time.Second
)

// Follow shows the progress of s until stop is called.
func (d Display) Follow(s source, log *zap.Logger) (stop func()) {
	every := recordEvery
	if d.line != nil {
		every = lineEvery
	}
	ticker := time.NewTicker(every)
	end := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { d.show(s, log, time.Now(), ticker.C, end) })
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(end)
		running.Wait()
	})
}

// show shows the progress with each tick, and removes the status line at the end.
func (d Display) show(s source, log *zap.Logger, now time.Time, ticks <-chan time.Time, end <-chan struct{}) {
	text := s.text(now) // rates are counted from here
	for {
		if d.line != nil {
			d.line.Set(text)
		}
		select {
		case now = <-ticks:
			if d.line == nil {
				s.record(now, log)
			} else {
				text = s.text(now)
			}
		case <-end:
			if d.line != nil {
				d.line.Set("")
			}
			return
		}
	}
}
