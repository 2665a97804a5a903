package logging

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// record is the text that a log has written so far.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (w *record) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *record) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// A record of a request may wait, but not for longer than the records after it.
func TestLogIsPrompt(t *testing.T) {
	for name, write := range map[string]func(*zap.Logger){
		"another record": func(l *zap.Logger) { l.Info("purge") },
		"an error":       func(l *zap.Logger) { l.Error(telemetry.RequestRecord) },
		"with fields":    func(l *zap.Logger) { l.With(zap.Int("n", 1)).Warn("breaker") },
		"flushed":        func(l *zap.Logger) { _ = l.Sync() },
	} {
		t.Run(name, func(t *testing.T) {
			// Otherwise the interval of the buffer may pass before the first log read.
			synctest.Test(t, func(t *testing.T) {
				var out record
				log, stop := Open(config.Default().Log, &out, nil)
				defer stop()
				log.Info(telemetry.RequestRecord, zap.String("id", "first"))
				synctest.Wait()
				if text := out.String(); text != "" {
					t.Errorf("written at once: %s", text)
				}
				write(log)
				synctest.Wait()
				if text := out.String(); !strings.Contains(text, `"id":"first"`) {
					t.Errorf("not written: %q", text)
				}
			})
		})
	}
}

func TestLogEndsWritten(t *testing.T) {
	var out record
	log, stop := Open(config.Default().Log, &out, nil)
	log.Info(telemetry.RequestRecord)
	log.Debug("not at this level")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "\n") != 1 {
		t.Errorf("got %q", text)
	}
}

// counted returns the metric of dropped records.
func counted(t *testing.T, m *telemetry.Metrics) float64 {
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "calfacade_log_dropped_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("no metric")
	return 0
}

// stalled is a reader of the log that reads nothing until it is resumed.
type stalled struct {
	record
	resumed chan struct{}
	failure error // the error of a write meanwhile; nil blocks the write
}

// Write implements [io.Writer].
func (w *stalled) Write(b []byte) (int, error) {
	select {
	case <-w.resumed:
	default:
		if w.failure != nil {
			return 0, w.failure
		}
		<-w.resumed
	}
	return w.record.Write(b)
}

// TestLogNeverBlocks: a reader that stalls or goes away stops nothing. Records that do not fit in
// the memory for them are dropped and counted, and a record says so when others are read again.
func TestLogNeverBlocks(t *testing.T) {
	for name, failure := range map[string]error{"stalled": nil, "gone": syscall.EPIPE} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &stalled{resumed: make(chan struct{}), failure: failure}
				metrics := telemetry.NewMetrics("")
				log, stop := Open(config.Default().Log, out, metrics)
				const records = 30_000
				for i := range records {
					log.Error("purge", zap.String("filler", strings.Repeat("x", 500)))
					if i%1000 == 0 {
						synctest.Wait()
					}
				}
				synctest.Wait()
				close(out.resumed)
				log.Info("flows")
				if err := stop(); err != nil {
					t.Error(err)
				}
				text := out.String()
				purges := strings.Count(text, `"msg":"purge"`)
				if purges > 2*maxPending/500 || purges > 0 == (failure != nil) {
					t.Errorf("%d records of %d were read", purges, records)
				}
				if !strings.Contains(text, `"msg":"flows"`) || !strings.Contains(text, fmt.Sprintf(`"records":%d}`, records-purges)) {
					t.Errorf("no record of %d dropped ones: %s", records-purges, text[max(0, len(text)-500):])
				}
				if n := counted(t, metrics); n != float64(records-purges) {
					t.Errorf("%v are counted, want %d", n, records-purges)
				}
			})
		})
	}
}

// TestLogStopsUnread: the end of the program waits for a limited time.
func TestLogStopsUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stalled{resumed: make(chan struct{})}
		log, stop := Open(config.Default().Log, out, nil)
		log.Info("draining")
		if err := stop(); err == nil {
			t.Error("it was read")
		}
		close(out.resumed)
	})
}

// BenchmarkLog is a record of a request, gathered, gathered as the process logs with a status
// page, and not gathered, into a pipe as whoever collects logs reads from.
func BenchmarkLog(b *testing.B) {
	for _, test := range []struct {
		name, message string
		page          bool
	}{{"gathered", telemetry.RequestRecord, false}, {"status page", telemetry.RequestRecord, true}, {"at once", "other", false}} {
		b.Run(test.name, func(b *testing.B) {
			r, w, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, r) }()
			defer w.Close()
			log, stop := Open(config.Default().Log, w, nil)
			defer stop()
			if test.page {
				log = admin.NewPageState(admin.PageStateOptions{}).Log(log)
			}
			b.ReportAllocs()
			for b.Loop() {
				log.Info(test.message, zap.String("request_id", "1f2e3d4c5b6a"), zap.String("method", "GET"),
					zap.String("path", "/wp-json/calendar/events/v1/events/12"), zap.String("language", "en"),
					zap.Int("status", 200), zap.Int("bytes", 4096), zap.Float64("duration_ms", 0.021), zap.String("client", "192.0.2.1"),
					zap.String("endpoint", "events.read"), zap.String("query", ""), zap.String("cache", "hit"))
			}
		})
	}
}
