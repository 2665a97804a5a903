package survey

import (
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	cells := cellsOf([]string{"en"})[:2]
	p := newCounter(len(cells), func() time.Time { return now })
	want := func(line string) {
		t.Helper()
		if got := p.state().String(); got != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
	p.expect(cells[0], 100)
	p.did(cells[0], 0, true)
	want("en events: 1 of 100+, 0.0/s")
	p.did(cells[0], 0, false)
	for range 20 {
		now = now.Add(100 * time.Millisecond)
		p.did(cells[0], 0, false)
	}
	want("en events: 22 of 100+, 10.5/s")
	p.expect(cells[1], 50)
	now = now.Add(time.Second)
	p.did(cells[1], 2, false)
	want("en venues: 23 of 150, 7.3/s, 17s left, 2 failed")
	if got, want := p.state().bar(), "[===                 ] en venues: 23 of 150, 7.3/s, 17s left, 2 failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.expect(cells[0], 3) // a list whose total exceeds its items
	want("en venues: 23 of 53, 7.3/s, 4s left, 2 failed")
	now = now.Add(time.Minute) // what was slow before is no longer in the rate
	want("en venues: 23 of 53, 0.0/s, 2 failed")
	for range 10 {
		now = now.Add(time.Second)
		p.did(cells[1], 0, false)
		p.state()
	}
	want("en venues: 33 of 53, 1.0/s, 20s left, 2 failed")
}

// written is what was written, with a signal for each Write.
type written struct {
	text  strings.Builder
	wrote chan struct{}
}

func (w *written) Write(p []byte) (int, error) {
	defer func() { w.wrote <- struct{}{} }()
	return w.text.Write(p)
}

func noon() time.Time { return time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC) }

func TestProgressShows(t *testing.T) {
	cells := cellsOf([]string{"en"})[:1]
	for _, test := range []struct {
		bar  bool
		want string
	}{
		{false, "en events: 1 of 2, 0.0/s\n"},
		{true, "\r[==========          ] en events: 1 of 2, 0.0/s\x1b[K\r[====================] en events: 2 of 2, 0.0/s\x1b[K\n"},
	} {
		p := newCounter(1, noon)
		p.expect(cells[0], 2)
		p.did(cells[0], 0, false)
		out := written{wrote: make(chan struct{}, 10)}
		ticks, end, ended := make(chan time.Time), make(chan struct{}), make(chan struct{})
		go func() {
			p.follow(&out, test.bar, ticks, end)
			close(ended)
		}()
		ticks <- noon()
		<-out.wrote
		p.did(cells[0], 0, false)
		close(end)
		<-ended
		if got := out.text.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
