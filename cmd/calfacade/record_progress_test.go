package main

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

// shownTo shows a state for each of states, and returns once the last one is shown.
func shownTo(p *recordProgress, states ...recording.Progress) {
	asked, ticks, end, ended := make(chan recording.Progress), make(chan time.Time), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.show(func() recording.Progress { return <-asked }, ticks, end)
	}()
	for i, s := range states {
		if i > 0 || p.line == nil { // a line is drawn at once
			ticks <- time.Time{}
		}
		asked <- s
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
	shownTo(&recordProgress{line: terminal.NewLine(&b)}, recordStates...)
	want := "\r\x1b[Krecording: waiting for requests" +
		"\r\x1b[Krecorded 3 (2.0 KiB, 1 left out): events 2, venues 1; GET /events/5" +
		"\r\x1b[Krecorded 4 (4.0 KiB, 2 lost, 1 left out): events 3, index 2, others 2; GET /ev…" +
		"\r\x1b[K"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRecordProgressRecords: elsewhere there is a record for each state with more responses.
func TestRecordProgressRecords(t *testing.T) {
	core, logs := observer.New(zap.InfoLevel)
	shownTo(&recordProgress{log: zap.New(core)}, recordStates...)
	all := logs.All()
	if len(all) != 2 {
		t.Fatalf("records: %v", all)
	}
	want := map[string]any{
		"kept": uint64(4), "private": uint64(1), "foreign": uint64(0), "broken": uint64(0), "dropped": uint64(0), "beyond": uint64(0), "failed": uint64(2),
		"kinds": map[string]uint64{"venues": 1, "events": 3, "tags": 1, "index": 2}, "calls": int64(4), "size": int64(4096), "last": "GET /events/6?page=2&" + strings.Repeat("y", 100),
	}
	if diff := cmp.Diff(want, all[1].ContextMap()); diff != "" || all[1].Message != "recording progress" {
		t.Errorf("%s (-want +got):\n%s", all[1].Message, diff)
	}
}
