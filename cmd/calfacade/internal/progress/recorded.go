package progress

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/recording"
)

// Recorded is the progress of a recording that is made.
type Recorded struct {
	state    func() recording.Progress
	maxCalls int
	last     uint64 // responses in the last record
	rate     Rate
}

// NewRecorded returns the progress of a recording of at most maxCalls calls.
func NewRecorded(state func() recording.Progress, maxCalls int) *Recorded {
	return &Recorded{state: state, maxCalls: maxCalls}
}

// record implements [source]. It logs if there are more responses than before.
func (r *Recorded) record(now time.Time, log *zap.Logger) {
	s := r.state()
	n := seen(s.Counts)
	perSecond := r.rate.Of(n, now)
	if n != r.last {
		r.last = n
		log.Info("recording progress", append(CountFields(s.Counts),
			zap.Any("kinds", s.Kinds), zap.Int("calls", s.Calls), zap.Int("max_calls", r.maxCalls), zap.Int64("size", s.Bytes),
			zap.Float64("per_second", perSecond), zap.String("last", s.Last))...)
	}
}

// seen returns the number of all responses.
func seen(n recording.Counts) uint64 {
	return n.Kept + n.Private + n.Foreign + n.Broken + n.Dropped + n.Beyond + n.Failed
}

// CountFields returns the counts of a recording for a log record.
func CountFields(n recording.Counts) []zap.Field {
	return []zap.Field{
		zap.Uint64("kept", n.Kept), zap.Uint64("private", n.Private), zap.Uint64("foreign", n.Foreign), zap.Uint64("broken", n.Broken),
		zap.Uint64("dropped", n.Dropped), zap.Uint64("beyond", n.Beyond), zap.Uint64("failed", n.Failed),
	}
}

// text implements [source].
func (r *Recorded) text(now time.Time) string {
	s := r.state()
	n := seen(s.Counts)
	perSecond := r.rate.Of(n, now)
	if n == 0 {
		return "recording: waiting for requests"
	}
	about := humanize.IBytes(uint64(max(s.Bytes, 0)))
	if lost := s.Broken + s.Dropped + s.Beyond + s.Failed; lost > 0 {
		about += fmt.Sprintf(", %d lost", lost)
	}
	if left := s.Private + s.Foreign; left > 0 {
		about += fmt.Sprintf(", %d left out", left)
	}
	return fmt.Sprintf("recorded %d of at most %d, %.0f/s (%s): %s; %s",
		s.Calls, r.maxCalls, perSecond, about, strings.Join(largestKinds(s.Kinds), ", "), s.Last)
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
