package survey

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/progress"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
)

// counter counts the pages and items that are done, of those that the lists announce.
type counter struct {
	clock func() time.Time

	mu      sync.Mutex
	cells   int            // in total
	want    map[string]int // by cell; a missing cell has not announced it yet
	done    map[string]int
	now     string // the current cell
	failed  int
	begun   bool // this run has done a step
	rate    progress.Rate
	skipped int // done by the previous run
}

func newCounter(cells int, clock func() time.Time) *counter {
	return &counter{clock: clock, cells: cells, want: map[string]int{}, done: map[string]int{}}
}

// expect sets the number of steps of a cell.
func (p *counter) expect(c cell, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.want[c.String()] = n
}

// did counts a step of a cell, and its failures. A step of the previous run does not
// count for the rate.
func (p *counter) did(c cell, failed int, before bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case before:
		p.skipped++
	case !p.begun:
		p.begun = true
		p.rate.Of(0, p.clock())
	}
	p.now = c.String()
	p.done[p.now]++
	p.failed += failed
}

// skip counts steps of the previous run.
func (p *counter) skip(c cell, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skipped += steps
	p.done[c.String()] += steps
}

// of returns how many steps of a cell are done.
func (p *counter) of(c cell) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[c.String()]
}

// state is a snapshot of a counter.
type state struct {
	now        string
	done, want int
	all        bool // every cell has announced its steps
	failed     int
	perSecond  float64
	left       time.Duration
}

func (p *counter) state() state {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := state{now: p.now, all: len(p.want) == p.cells, failed: p.failed}
	for _, n := range p.done {
		s.done += n
	}
	for _, n := range p.want {
		s.want += n
	}
	s.want = max(s.want, s.done)
	if p.begun {
		s.perSecond = p.rate.Of(uint64(s.done-p.skipped), p.clock())
	}
	if s.perSecond > 0 {
		s.left = time.Duration(float64(s.want-s.done) / s.perSecond * float64(time.Second))
	}
	return s
}

// String returns the state as a line.
func (s state) String() string {
	more, left := "+", "" // some lists are not announced yet
	if s.all {
		more = ""
		if s.perSecond > 0 {
			left = ", " + s.left.Round(time.Second).String() + " left"
		}
	}
	line := fmt.Sprintf("%s: %d of %d%s, %.1f/s%s", s.now, s.done, s.want, more, s.perSecond, left)
	if s.failed > 0 {
		line += fmt.Sprintf(", %d failed", s.failed)
	}
	return line
}

const barWidth = 20

func (s state) bar() string {
	full := 0
	if s.want > 0 {
		full = barWidth * s.done / s.want
	}
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", barWidth-full) + "] " + s.String()
}

// The intervals at which progress is shown: as a redrawn bar, and as lines.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// show shows the progress on w until stop is called.
func (p *counter) show(w io.Writer) (stop func()) {
	every, bar := lineEvery, terminal.Is(w)
	if bar {
		every = barEvery
	}
	ticker := time.NewTicker(every)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.follow(w, bar, ticker.C, end)
	}()
	return func() {
		ticker.Stop()
		close(end)
		<-ended
	}
}

// follow shows the progress with each tick, and the last state of a bar at the end.
func (p *counter) follow(w io.Writer, bar bool, ticks <-chan time.Time, end <-chan struct{}) {
	for {
		select {
		case <-ticks:
			p.draw(w, bar)
		case <-end:
			if bar {
				p.draw(w, bar)
				_, _ = fmt.Fprintln(w)
			}
			return
		}
	}
}

// draw writes a line, or redraws the bar. It ignores errors.
func (p *counter) draw(w io.Writer, bar bool) {
	if s := p.state(); bar {
		_, _ = fmt.Fprintf(w, "\r%s\x1b[K", s.bar())
	} else {
		_, _ = fmt.Fprintln(w, s)
	}
}
