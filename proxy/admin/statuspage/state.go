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

	Every time.Duration    // interval of samples; 0 is 15 s. The page is updated three times as often
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
	rejected health   // a configuration; zero for none
}

// NewState returns a state without samples.
func NewState(o StateOptions) *State {
	s := &State{metrics: o.Metrics, every: cmp.Or(o.Every, 15*time.Second), clock: o.Clock}
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
	taken := newSample(s.clock(), scrape(s.metrics))
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.samples) == maxSamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, taken)
}

// maxReason limits the text of a rejected configuration on the page, in bytes.
const maxReason = 2000

// Reloaded records the outcome of a reload, which the page shows until the next one. The
// text of an error must hold no secret; nil is a success.
func (s *State) Reloaded(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = health{}
	if err != nil {
		s.rejected = health{"warn", "Configuration rejected", s.clock().UTC().Format("on 2 Jan at 15:04 UTC") +
			", the previous one is in use: " + shortened(err.Error(), maxReason)}
	}
}

// read returns the samples so far, which do not change, and the outcome of the last reload.
func (s *State) read() (history, health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples), s.rejected
}

// Log returns a log whose errors and warnings the page shows too.
func (s *State) Log(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewTee(c, recordsCore{LevelEnabler: zapcore.WarnLevel, to: &s.records})
	}))
}
