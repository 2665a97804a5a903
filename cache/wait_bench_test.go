package cache

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// BenchmarkWait measures how long after the end of another instance's fetch, which takes 40 ms,
// an instance that waited for it has the entry:
// go test -run - -bench Wait -benchtime 200x ./cache
func BenchmarkWait(b *testing.B) {
	server := redistest.StartServer(b)
	caches := site{urls: []string{server.URL()}}.instances(b, 2, nil)
	var durations []time.Duration
	e := func() *Entry { return benchEntry(40_000, 60) }
	n := 0
	server.Do("CONFIG", "RESETSTAT")
	for b.Loop() {
		n++
		key := fmt.Sprint(n)
		began := make(chan struct{})
		answered := make(chan struct{})
		var ended time.Time
		go func() {
			defer close(answered)
			if _, err := caches[0].ask(b.Context(), key, func(context.Context, Reason) (Fetched, error) {
				close(began)
				<-time.After(40 * time.Millisecond)
				ended = time.Now()
				return Fetched{Entry: e(), Store: true, Share: true}, nil
			}); err != nil {
				b.Error(err)
			}
		}()
		<-began
		if r, err := caches[1].ask(b.Context(), key, nil); err != nil || !r.Collapsed && r.How != Hit {
			b.Fatal(r.How, err)
		}
		now := time.Now()
		<-answered
		durations = append(durations, now.Sub(ended))
	}
	slices.Sort(durations)
	b.ReportMetric(float64(durations[len(durations)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds()), "p99-µs")
	info := server.Admin.InfoMap(b.Context(), "stats").Item("Stats", "total_commands_processed")
	var commands float64
	_, _ = fmt.Sscan(info, &commands)
	b.ReportMetric(commands/float64(n), "commands/op")
}
