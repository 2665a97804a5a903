package redisstore

import (
	"fmt"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// BenchmarkLogRead measures a log read with nothing new, of so many requests at a time: the processor time of
// this process, and how many requests share one.
func BenchmarkLogRead(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := open(b, Options{URLs: []string{redistest.StartServer(b).URL()}})
			caughtUp(b, r)
			reads := r.Stats().LogReads
			b.SetParallelism(n)
			b.ResetTimer()
			if n == 1 {
				for b.Loop() {
					must(b, r.ReadLog())
				}
				return
			}
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					_ = r.ReadLog()
				}
			})
			b.ReportMetric(float64(b.N)/float64(r.Stats().LogReads-reads), "requests/read")
		})
	}
}
