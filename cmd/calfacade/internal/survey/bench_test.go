package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/compare"
)

// generatedSite has events that are made when they are read: of the example in the
// documentation, with an id, a slug and a title of their own.
type generatedSite struct {
	events   int
	example  [][]byte // the parts between id, slug and title
	size     int      // of an event, about, in bytes
	interval int      // one title in so many differs from the title at a site with 0
	calls    atomic.Int64
	live     atomic.Uint64 // the most bytes of live objects at a collection
}

const ownID, ownSlug, ownTitle = "4404404", "own-slug", "Own title"

func newGeneratedSite(b *testing.B, events, interval int) *generatedSite {
	data, err := os.ReadFile("../../../../mapping/openapi/examples/en.json")
	if err != nil {
		b.Fatal(err)
	}
	var examples map[string]map[string]any
	if err := json.Unmarshal(data, &examples); err != nil {
		b.Fatal(err)
	}
	event := examples["events.read"]
	event["id"] = json.Number(ownID)
	event["slug"] = ownSlug
	event["title"] = ownTitle
	text, err := json.Marshal(event)
	if err != nil {
		b.Fatal(err)
	}
	for _, member := range []string{ownID, ownSlug, ownTitle} {
		text = bytes.ReplaceAll(text, []byte(member), []byte("\x00"+member+"\x00"))
	}
	return &generatedSite{events: events, size: len(text) + 64, interval: interval, example: bytes.Split(text, []byte("\x00"))}
}

// append appends the event with an id.
func (s *generatedSite) append(b []byte, id int) []byte {
	title := id
	if s.interval > 0 && id%s.interval == 0 {
		title = -id
	}
	for _, part := range s.example {
		switch string(part) {
		case ownID:
			b = strconv.AppendInt(b, int64(id), 10)
		case ownSlug:
			b = strconv.AppendInt(append(b, 'e'), int64(id), 10)
		case ownTitle:
			b = fmt.Appendf(b, "Event number %d", title)
		default:
			b = append(b, part...)
		}
	}
	return b
}

func (s *generatedSite) answer(_ context.Context, call *mapping.Call, _ string) (compare.Document, error) {
	if s.calls.Add(1)%1000 == 0 {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		s.live.Store(max(s.live.Load(), sample[0].Value.Uint64()))
	}
	resource := call.Endpoint.Resource
	if call.Endpoint.Action != mapping.List {
		id, err := strconv.Atoi(strings.TrimPrefix(call.Item, "e"))
		return compare.Document{Status: http.StatusOK, Body: s.append(make([]byte, 0, s.size), id)}, err
	}
	if resource != "events" {
		return okf(`{"%s":[],"total":0,"total_pages":0}`, resource), nil
	}
	body := append(make([]byte, 0, onPage*s.size), `{"events":[`...)
	for id, last := (call.Page()-1)*onPage+1, min(call.Page()*onPage, s.events); id <= last; id++ {
		body = s.append(body, id)
		if id < last {
			body = append(body, ',')
		}
	}
	body = fmt.Appendf(body, `],"total":%d,"total_pages":%d}`, s.events, (s.events+onPage-1)/onPage)
	return compare.Document{Status: http.StatusOK, Body: body}, nil
}

// BenchmarkComparison compares two sites, with a journal: each event by its id and its slug,
// and all pages of the lists. Of the events one in a hundred differs. It reports documents per
// second, bytes allocated for a document, and the most bytes of live objects beyond the objects of
// before.
func BenchmarkComparison(b *testing.B) {
	for _, documents := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(documents), func(b *testing.B) {
			for b.Loop() {
				benchmarkComparison(b, documents)
			}
		})
	}
}

func benchmarkComparison(b *testing.B, documents int) {
	rules, err := compare.Default().Compile()
	if err != nil {
		b.Fatal(err)
	}
	legacy := newGeneratedSite(b, documents/2, 0)
	candidate := newGeneratedSite(b, documents/2, 100)
	j, err := OpenJournal(b.TempDir(), "x")
	if err != nil {
		b.Fatal(err)
	}
	d := &Comparison{Legacy: legacy.answer, Candidate: candidate.answer, Rules: rules, Languages: []string{"en"}, Journal: j,
		CandidateID: func(_, id string) string { return id }}
	baseline, allocated := heapNow()
	start := time.Now()
	r, err := d.Run(b.Context(), io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	elapsed := time.Since(start)
	_, end := heapNow()
	if err := j.Close(false); err != nil {
		b.Fatal(err)
	}
	sum := r.Sum()
	if sum.Items != documents/2 || sum.Compared < documents || sum.Findings < documents/200 {
		b.Fatalf("%+v", sum)
	}
	info, err := os.Stat(j.file.Name())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(sum.Compared)/elapsed.Seconds(), "documents/s")
	b.ReportMetric(float64(end-allocated)/float64(sum.Compared), "B/document")
	b.ReportMetric(float64(max(legacy.live.Load(), baseline)-baseline)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(info.Size())/float64(documents/2), "journal-B/item")
	b.ReportMetric(0, "ns/op")
}

// heapNow returns the bytes of live objects, and of all that were ever allocated.
func heapNow() (live, allocated uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.TotalAlloc
}
