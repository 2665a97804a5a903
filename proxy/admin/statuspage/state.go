package statuspage

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// StateOptions configure a [State].
type StateOptions struct {
	Metrics *telemetry.Metrics // the source of the samples

	Every time.Duration    // interval of samples and of updates of the page; 0 is 5 s
	Clock func() time.Time // nil is time.Now
}

// State holds the samples of the metrics for the charts, and the sessions. Like the metrics
// it belongs to the process: it outlives configurations.
type State struct {
	metrics *telemetry.Metrics
	every   time.Duration
	clock   func() time.Time
	began   time.Time

	sessions sessions

	records records

	mu       sync.Mutex
	samples  []sample // oldest first
	rejected rejected
}

// rejected is a configuration that a reload refused. The zero value is none.
type rejected struct {
	at     time.Time
	reason string
}

// NewState returns a state without samples.
func NewState(o StateOptions) *State {
	s := &State{metrics: o.Metrics, every: cmp.Or(o.Every, 5*time.Second), clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.began = s.clock()
	return s
}

// Run takes a sample now and after each interval, until end is closed.
func (s *State) Run(end <-chan struct{}) {
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for {
		s.Sample()
		select {
		case <-end:
			return
		case <-ticker.C:
		}
	}
}

// Sample takes a sample.
func (s *State) Sample() {
	taken := newSample(s.clock(), readSample(s.metrics))
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.samples) == maxSamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, taken)
}

// Reloaded records the outcome of a reload, which the page shows until the next one. The
// text of an error must hold no secret; nil is a success.
func (s *State) Reloaded(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = rejected{}
	if err != nil {
		s.rejected = rejected{s.clock(), err.Error()}
	}
}

// lastRejected returns the configuration that the last reload refused.
func (s *State) lastRejected() rejected {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rejected
}

// history returns the samples so far, which do not change.
func (s *State) history() history {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples)
}

// Log returns a log whose errors and warnings the page shows too.
func (s *State) Log(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewTee(c, recordsCore{LevelEnabler: zapcore.WarnLevel, to: &s.records})
	}))
}
