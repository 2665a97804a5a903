package admin

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// PageStateOptions configure a [PageState].
type PageStateOptions struct {
	Metrics *telemetry.Metrics // the source of the samples
	Name    string             // of this instance, for operators of any

	Every time.Duration    // interval of samples; 0 is 15 s. The page is updated three times as often
	Clock func() time.Time // nil is time.Now
}

// PageState holds the samples of the metrics for the charts, the last errors of the log, and the
// key of the sessions. Like the metrics the state belongs to the process, and outlives configurations.
type PageState struct {
	PageStateOptions
	Began time.Time

	key atomic.Pointer[string] // signs the cookies of sessions

	mu       sync.Mutex
	samples  history
	records  []record // the newest first
	purges   []purge  // likewise
	rejected Health   // a configuration; zero without a rejected one
}

// NewPageState returns a state without samples.
func NewPageState(o PageStateOptions) *PageState {
	o.Every = cmp.Or(o.Every, 15*time.Second)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s := &PageState{PageStateOptions: o, Began: o.Clock()}
	s.newKey()
	return s
}

// Run takes a sample now and after each interval, until end is closed.
func (s *PageState) Run(end <-chan struct{}) {
	for ticks := time.Tick(s.Every); ; {
		s.Sample()
		select {
		case <-end:
			return
		case <-ticks:
		}
	}
}

// Sample takes a sample.
func (s *PageState) Sample() {
	current := s.sample()
	s.mu.Lock()
	n := len(s.samples)
	busy := n > 0 && current.requests > s.samples[n-1].requests
	s.samples = append(s.samples, current)[max(0, n+1-maxSamples):]
	s.mu.Unlock()
	if busy { // an idle instance sends Redis nothing
		_, _ = s.instances(context.Background(), current.Version) // the next sample tries again
	}
}

// instances announces this instance, and returns all on the same Redis; nil without Redis.
func (s *PageState) instances(ctx context.Context, version string) ([]redisstore.Instance, error) {
	w := s.Metrics.Watched()
	if w != nil && w.Redis != nil {
		return w.Redis.Announce(ctx, s.Name, version)
	}
	return nil, nil
}

// sample reads the metrics, as far as they can be read.
func (s *PageState) sample() sample {
	now := sample{Now: s.Clock()}
	families, _ := s.Metrics.Gatherer().Gather()
	for _, f := range families {
		for _, m := range f.GetMetric() {
			label := map[string]string{}
			for _, l := range m.GetLabel() {
				label[l.GetName()] = l.GetValue()
			}
			value := m.GetCounter().GetValue() + m.GetGauge().GetValue()
			switch f.GetName() {
			case "calfacade_requests_total":
				now.count(value, label)
			case "calfacade_request_duration_seconds":
				now.seconds += m.GetHistogram().GetSampleSum()
			case "calfacade_requests_in_flight":
				now.InFlight = value
			case "calfacade_tls_certificate_not_after_timestamp_seconds":
				if value > 0 {
					now.Certificate = time.Unix(int64(value), 0)
				}
			case "process_resident_memory_bytes":
				now.Memory = value
			case "calfacade_build_info":
				now.Version = label["version"]
			}
		}
	}
	return now
}

// maxReason limits the text of a rejected configuration on the page, in bytes with the ellipsis.
const maxReason = 2003

// Reloaded records the outcome of a reload, which the page shows until the next one. The
// text of an error must hold no secret; nil is a success.
func (s *PageState) Reloaded(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = Health{}
	if err != nil {
		s.rejected = Health{
			Class: Warn,
			Word:  "Configuration rejected",
			Detail: s.Clock().UTC().Format("on 2 Jan at 15:04 UTC") +
				", the previous one is in use: " + mapping.Shorten(err.Error(), maxReason),
		}
	}
}

// Limits of the purges and records that the page shows.
const (
	maxPurges     = 50
	maxPurgeTags  = 20
	maxRecords    = 20
	maxRecordText = 303 // bytes, of the fields of a record, with the ellipsis
)

// purge is a purge with the first of its tags.
type purge struct {
	cache.Purged
	Count int // of all tags
}

// Purged adds a purge of a cache to the last ones.
func (s *PageState) Purged(p cache.Purged) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.purges, func(o purge) bool { return o.ID == p.ID })
	if i >= 0 {
		if p.Local {
			s.purges[i].Local = true
			s.purges[i].From = p.From
		}
		return
	}
	count := len(p.Tags)
	p.Tags = slices.Clone(p.Tags[:min(count, maxPurgeTags)])
	s.purges = append([]purge{{p, count}}, s.purges...)
	slices.SortStableFunc(s.purges, func(a, b purge) int { return b.Time.Compare(a.Time) })
	s.purges = s.purges[:min(len(s.purges), maxPurges)]
}

// record is an error or warning of the log. Those with the same level and message are one.
type record struct {
	Level, Message string
	Fields         string // of the last
	Last           time.Time
	Times          int
}

// Log returns a log; the page shows its errors and warnings too.
func (s *PageState) Log(log *zap.Logger) *zap.Logger {
	lines := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "message", EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeTime: zapcore.ISO8601TimeEncoder, EncodeDuration: zapcore.StringDurationEncoder,
		ConsoleSeparator: "\t", SkipLineEnding: true,
	})
	return log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewTee(c, zapcore.NewCore(lines, zapcore.AddSync(recorder{s}), zapcore.WarnLevel))
	}))
}

// recorder adds lines of a log to the records of a state.
type recorder struct{ *PageState }

// unquoted makes JSON on a line, such as {"n": 1, "why": "late"}, a text to read.
var unquoted = strings.NewReplacer(`\"`, `"`, `"`, "", `\\`, `\`, `\n`, " ", `\t`, " ")

// Write implements [io.Writer]. A line has level, message and fields, with tabs between them.
func (r recorder) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	level, content, _ := strings.Cut(string(line), "\t")
	message, fields, _ := strings.Cut(content, "\t")
	fields = unquoted.Replace(strings.TrimSuffix(strings.TrimPrefix(fields, "{"), "}"))
	now := record{
		Level:   level,
		Message: message,
		Fields:  mapping.Shorten(fields, maxRecordText),
		Last:    r.Clock(),
		Times:   1,
	}
	r.records = slices.DeleteFunc(r.records, func(o record) bool {
		isSame := o.Level == level && o.Message == message
		if isSame {
			now.Times += o.Times
		}
		return isSame
	})
	r.records = append([]record{now}, r.records[:min(len(r.records), maxRecords-1)]...)
	return len(line), nil
}

// newKey ends all sessions.
func (s *PageState) newKey() {
	key := rand.Text()
	s.key.Store(&key)
}
