package recording

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/calfacade/calfacade/proxy/proxytest"
)

// recordMany records n responses of so many bytes.
func recordMany(t *testing.T, n, bytes int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "recording")
	recorder, err := Open(Options{Dir: dir, Backends: oneRoot("https://legacy.example/wp-json"), MaxCalls: n})
	if err != nil {
		t.Fatal(err)
	}
	padding := strings.Repeat("x", bytes)
	for i := range n {
		e := &exchange{call: call{Root: "en", Method: "GET", Path: fmt.Sprint("/tribe/events/v1/events/", i)}}
		e.setHead(http.StatusOK, http.Header{})
		e.setBody(fmt.Appendf(nil, `{"id":%d,"title":%q}`, i, padding))
		recorder.write(e)
	}
	if got := recorder.Counts(); got != (Counts{Kept: uint64(n)}) {
		t.Fatalf("%+v", got)
	}
	return dir
}

// heap returns the bytes of the objects that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestReplayIsNotInMemory: neither a replay nor the continuation of a recording holds all that is
// recorded.
func TestReplayIsNotInMemory(t *testing.T) {
	const calls, bytes, limit = 200, 20_000, 1 << 19 // of 4 MB
	dir := recordMany(t, calls, bytes)
	baseline := heap()
	replay, err := OpenReplay(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if grown := int64(heap() - baseline); grown > limit || replay.calls != calls {
		t.Errorf("replay: %d bytes for %d calls, want at most %d", grown, replay.calls, limit)
	}
	baseline = heap()
	if _, err = Open(Options{Dir: dir, Backends: oneRoot("https://legacy.example/wp-json")}); err != nil {
		t.Fatal(err)
	}
	if grown := int64(heap() - baseline); grown > limit {
		t.Errorf("record: %d bytes, want at most %d", grown, limit)
	}
	if got := fetch(t, replay.Wrap(nil), "https://legacy.example/wp-json/tribe/events/v1/events/7"); !strings.HasPrefix(got, `{"id":7,`) {
		t.Errorf("%.80s", got)
	}
}

// TestReplayReadsFiles: what a file holds when it is called for is the response; a damaged one
// is none.
func TestReplayReadsFiles(t *testing.T) {
	dir := recordMany(t, 1, 10)
	core, logs := observer.New(zap.WarnLevel)
	replay, err := OpenReplay(dir, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text := (&bench{T: t, dir: dir}).files()[strings.TrimPrefix(files[0], dir+"/")]
	const refusal = "the recording has no response to this call"
	for _, test := range []struct{ text, want, log string }{
		{text, `{"id":0,"title":"xxxxxxxxxx"}`, ""},
		{strings.Replace(text, "xxxxxxxxxx", "edited", 1), `{"id":0,"title":"edited"}`, ""},
		{text[:len(text)/2], refusal, "recorded response is damaged"},
		{strings.Replace(text, "events/0", "events/1", 1), refusal, "recorded response is damaged"},
		{"", refusal, "not recorded"},
	} {
		if err := os.WriteFile(files[0], []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.text == "" {
			if err := os.Remove(files[0]); err != nil {
				t.Fatal(err)
			}
		}
		got := fetch(t, replay.Wrap(proxytest.Unused(t)), "https://legacy.example/wp-json/tribe/events/v1/events/0")
		log := ""
		if entries := logs.TakeAll(); len(entries) == 1 {
			log = entries[0].Message
		}
		if got != test.want || log != test.log {
			t.Errorf("%.60s: got %s, log %q; want %s, %q", test.text, got, log, test.want, test.log)
		}
	}
}
