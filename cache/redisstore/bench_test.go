package redisstore

import (
	"fmt"
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// BenchmarkLook measures a look with nothing new, of so many requests at a time: the processor time of
// this process, and how many requests share one.
func BenchmarkLook(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := open(b, Options{URLs: []string{redistest.StartServer(b).URL()}})
			looked(b, r)
			before := r.Stats().Looks
			b.SetParallelism(n)
			b.ResetTimer()
			if n == 1 {
				for b.Loop() {
					must(b, r.Look())
				}
				return
			}
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					_ = r.Look()
				}
			})
			b.ReportMetric(float64(b.N)/float64(r.Stats().Looks-before), "requests/look")
		})
	}
}
