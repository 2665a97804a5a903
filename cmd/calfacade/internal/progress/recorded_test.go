package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/terminal"
	"github.com/calfacade/calfacade/proxy/recording"
)

// shownOf shows each of the states, a second after the one before, until the last one is shown.
func shownOf(d Display, log *zap.Logger, states ...recording.Progress) {
	current, ticks, end, ended := make(chan recording.Progress), make(chan time.Time), make(chan struct{}), make(chan struct{})
	now := time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC)
	go func() {
		defer close(ended)
		d.show(NewRecorded(func() recording.Progress { return <-current }, 10), log, now, ticks, end)
	}()
	for i, s := range states {
		if i > 0 { // the first one is shown at once
			now = now.Add(time.Second)
			ticks <- now
		}
		current <- s
	}
	close(end)
	<-ended
}

var recordStates = []recording.Progress{
	{},
	{Counts: recording.Counts{Kept: 3, Private: 1}, Kinds: map[string]uint64{"venues": 1, "events": 2}, Calls: 3, Bytes: 2048, Last: "GET /events/5"},
	{Counts: recording.Counts{Kept: 3, Private: 1}, Kinds: map[string]uint64{"venues": 1, "events": 2}, Calls: 3, Bytes: 2048, Last: "GET /events/5"},
	{Counts: recording.Counts{Kept: 4, Private: 1, Failed: 2}, Kinds: map[string]uint64{"venues": 1, "events": 3, "tags": 1, "index": 2}, Calls: 4, Bytes: 4096, Last: "GET /events/6?page=2&" + strings.Repeat("y", 100)},
}

// TestRecordProgressLine: on a terminal the progress is one line, which is gone at the end.
func TestRecordProgressLine(t *testing.T) {
	var b bytes.Buffer
	shownOf(Display{terminal.NewLine(&b)}, zap.NewNop(), recordStates...)
	want := "\r\x1b[Krecording: waiting for requests" +
		"\r\x1b[Krecorded 3 of at most 10, 4/s (2.0 KiB, 1 left out): events 2, venues 1; GET /…" +
		"\r\x1b[Krecorded 3 of at most 10, 2/s (2.0 KiB, 1 left out): events 2, venues 1; GET /…" +
		"\r\x1b[Krecorded 4 of at most 10, 2/s (4.0 KiB, 2 lost, 1 left out): events 3, index 2…" +
		"\r\x1b[K"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRecordProgressRecords: elsewhere there is a record for each state with more responses.
func TestRecordProgressRecords(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	shownOf(Display{}, zap.New(core), recordStates...)
	all := logs.All()
	if len(all) != 2 {
		t.Fatalf("records: %v", all)
	}
	want := map[string]any{
		"kept": uint64(4), "private": uint64(1), "foreign": uint64(0), "broken": uint64(0), "dropped": uint64(0), "beyond": uint64(0), "failed": uint64(2),
		"kinds": map[string]uint64{"venues": 1, "events": 3, "tags": 1, "index": 2}, "calls": int64(4), "max_calls": int64(10), "per_second": 7.0 / 3, "size": int64(4096), "last": "GET /events/6?page=2&" + strings.Repeat("y", 100),
	}
	if diff := cmp.Diff(want, all[1].ContextMap()); diff != "" || all[1].Message != "recording progress" {
		t.Errorf("%s (-want +got):\n%s", all[1].Message, diff)
	}
}

// TestChecked: the check of a recording shows how far it is.
func TestChecked(t *testing.T) {
	now := time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC)
	var c Checked
	want := func(text string) {
		t.Helper()
		if got := c.text(now); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	want("")
	c.Set(0, 240_000)
	want("checking the recording: 0 of 240000 files, 0/s")
	now = now.Add(2 * time.Second)
	c.Set(60_000, 240_000)
	c.Set(59_999, 240_000) // of another worker, later
	want("checking the recording: 60000 of 240000 files, 30000/s, 6s left")
	core, logs := observer.New(zap.InfoLevel)
	c.record(now.Add(time.Second), zap.New(core))
	fields := map[string]any{"files": int64(60_000), "of": int64(240_000), "per_second": 20_000.0, "left": 9 * time.Second}
	if all := logs.All(); len(all) != 1 || !cmp.Equal(fields, all[0].ContextMap()) {
		t.Errorf("records: %v", all)
	}
}
