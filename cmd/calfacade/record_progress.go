package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/recording"
)

// recordProgress shows the progress of a recording: in a status line of a terminal, or else in
// log records.
type recordProgress struct {
	line *terminal.Line // nil: no terminal
	log  *zap.Logger
	last uint64 // responses in the last record
}

// The intervals at which the progress of a recording is shown.
const (
	recordLineEvery   = 200 * time.Millisecond
	recordRecordEvery = 10 * time.Second
)

// newRecordProgress returns the progress for stderr, and what to use as stderr with it.
func newRecordProgress(stderr io.Writer) (*recordProgress, io.Writer) {
	if !terminal.Is(stderr) {
		return new(recordProgress), stderr
	}
	line := terminal.NewLine(stderr)
	return &recordProgress{line: line}, line
}

// follow shows the progress until stop is called.
func (p *recordProgress) follow(state func() recording.Progress, log *zap.Logger) (stop func()) {
	p.log = log
	every := recordRecordEvery
	if p.line != nil {
		every = recordLineEvery
	}
	ticker := time.NewTicker(every)
	end := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { p.show(state, ticker.C, end) })
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(end)
		running.Wait()
	})
}

// show shows the progress with each tick, and removes the status line at the end.
func (p *recordProgress) show(state func() recording.Progress, ticks <-chan time.Time, end <-chan struct{}) {
	for {
		if p.line != nil {
			p.line.Set(progressLine(state()))
		}
		select {
		case <-ticks:
			if p.line == nil {
				p.record(state())
			}
		case <-end:
			if p.line != nil {
				p.line.Set("")
			}
			return
		}
	}
}

// record logs a state, if there are responses that the last record did not have.
func (p *recordProgress) record(s recording.Progress) {
	if n := seen(s.Counts); n != p.last {
		p.last = n
		p.log.Info("recording progress", append(countFields(s.Counts),
			zap.Any("kinds", s.Kinds), zap.Int("calls", s.Calls), zap.Int64("size", s.Bytes), zap.String("last", s.Last))...)
	}
}

// seen returns the number of all responses.
func seen(n recording.Counts) uint64 {
	return n.Kept + n.Private + n.Foreign + n.Broken + n.Dropped + n.Beyond + n.Failed
}

func countFields(n recording.Counts) []zap.Field {
	return []zap.Field{
		zap.Uint64("kept", n.Kept), zap.Uint64("private", n.Private), zap.Uint64("foreign", n.Foreign), zap.Uint64("broken", n.Broken),
		zap.Uint64("dropped", n.Dropped), zap.Uint64("beyond", n.Beyond), zap.Uint64("failed", n.Failed),
	}
}

// progressLine returns a state as a status line, which is cut at its end: what is most useful
// comes first.
func progressLine(s recording.Progress) string {
	if seen(s.Counts) == 0 {
		return "recording: waiting for requests"
	}
	about := humanize.IBytes(uint64(max(s.Bytes, 0)))
	if lost := s.Broken + s.Dropped + s.Beyond + s.Failed; lost > 0 {
		about += fmt.Sprintf(", %d lost", lost)
	}
	if left := s.Private + s.Foreign; left > 0 {
		about += fmt.Sprintf(", %d left out", left)
	}
	return fmt.Sprintf("recorded %d (%s): %s; %s", s.Kept, about, strings.Join(largestKinds(s.Kinds), ", "), s.Last)
}

// maxKinds is how many kinds a status line names.
const maxKinds = 2

// largestKinds returns the kinds of which there is the most, with their numbers, and the
// number of all others.
func largestKinds(all map[string]uint64) (texts []string) {
	kinds := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b)) })
	others := uint64(0)
	for i, kind := range kinds {
		if i < maxKinds {
			texts = append(texts, fmt.Sprintf("%s %d", kind, all[kind]))
		} else {
			others += all[kind]
		}
	}
	if others > 0 {
		texts = append(texts, fmt.Sprintf("others %d", others))
	}
	return texts
}
