package statuspage

import (
	"cmp"
	"github.com/calfacade/calfacade/proxy/telemetry"
	"slices"
	"sync"
	"time"
)

// StateOptions are what a State is made of.
type StateOptions struct {
	Metrics *telemetry.Metrics // what the page is drawn from

	Every time.Duration    // between two samples, and between two looks of a page; 0 is 5 s
	Clock func() time.Time // nil is time.Now
}

// State is what the status page remembers: samples of the metrics for its charts,
// and who is signed in. Like the metrics it belongs to the process and not to a
// facade.
type State struct {
	metrics *telemetry.Metrics
	every   time.Duration
	clock   func() time.Time
	began   time.Time

	sessions sessions

	mu      sync.Mutex
	samples []sample // oldest first
}

// maxSamples is how many samples a chart is made of: with one every 5 s, the last
// ten minutes.
const maxSamples = 120

// NewState makes a state that has no sample yet.
func NewState(o StateOptions) *State {
	s := &State{metrics: o.Metrics, every: cmp.Or(o.Every, 5*time.Second), clock: o.Clock}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.began = s.clock()
	return s
}

// Run takes a sample now and then until the end.
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

// history gives the samples so far. They do not change.
func (s *State) history() history {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.samples)
}
