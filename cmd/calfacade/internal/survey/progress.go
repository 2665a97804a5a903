package survey

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress is how far a survey is: pages and items that are done, of those that
// the lists tell of.
type progress struct {
	clock func() time.Time

	mu      sync.Mutex
	cells   int            // that there will be
	want    map[string]int // by cell; one that is missing has not told yet
	done    map[string]int
	now     string // the cell at hand
	failed  int
	since   time.Time // when this run began to work
	skipped int       // done before that
}

func newProgress(cells int, clock func() time.Time) *progress {
	return &progress{clock: clock, cells: cells, want: map[string]int{}, done: map[string]int{}}
}

// expect says how much there is to do in a cell.
func (p *progress) expect(c cell, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.want[c.String()] = n
}

// did counts a step in a cell, and what failed in it. One that another run has
// made says nothing of how fast this one is.
func (p *progress) did(c cell, failed int, before bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case before:
		p.skipped++
	case p.since.IsZero():
		p.since = p.clock()
	}
	p.now = c.String()
	p.done[p.now]++
	p.failed += failed
}

// of is how many steps of a cell are done.
func (p *progress) of(c cell) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[c.String()]
}

// state is a progress at a moment.
type state struct {
	now        string
	done, want int
	all        bool // want is all there is to do
	failed     int
	perSecond  float64
	left       time.Duration
}

func (p *progress) state() state {
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
	if took := p.clock().Sub(p.since); !p.since.IsZero() && took > 0 {
		s.perSecond = float64(s.done-p.skipped) / took.Seconds()
	}
	if s.perSecond > 0 {
		s.left = time.Duration(float64(s.want-s.done) / s.perSecond * float64(time.Second))
	}
	return s
}

// String is the state in a line for people.
func (s state) String() string {
	more, left := "+", "" // lists that have not told yet
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

// How often progress is shown: as a bar that is drawn anew, and as a line more.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// show tells the progress on w, until the function that it gives is called.
func (p *progress) show(w io.Writer) (stop func()) {
	every, bar := lineEvery, isTerminal(w)
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

// follow tells the progress with each tick, and a bar's last state at the end.
func (p *progress) follow(w io.Writer, bar bool, ticks <-chan time.Time, end <-chan struct{}) {
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

// draw writes a line; a bar stays in its own. Nobody is told if that fails.
func (p *progress) draw(w io.Writer, bar bool) {
	if s := p.state(); bar {
		_, _ = fmt.Fprintf(w, "\r%s\x1b[K", s.bar())
	} else {
		_, _ = fmt.Fprintln(w, s)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
