package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

// BenchmarkRedisFollowers measures the processor time that Redis spends on instances that
// follow the log while nothing is purged:
//
//	go test -run - -bench RedisFollowers -benchtime 5s ./cache/redisstore
func BenchmarkRedisFollowers(b *testing.B) {
	for _, n := range []int{1, 16, 64, 128, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := redistest.StartServer(b)
			o := Options{URLs: []string{s.URL()}, Budget: testwait.Limit}
			ctx, stop := context.WithCancel(background)
			defer stop()
			all := make([]*Store, n)
			for i := range all {
				all[i] = open(b, o)
				go all[i].Follow(ctx, make(notifier))
			}
			testwait.Until(b, "all follow", func() bool { return all[0].Stats().Followers == int64(n) })
			s.Do("CONFIG", "RESETSTAT")
			used, began := redisUsed(b, s), time.Now()
			b.ResetTimer()
			for b.Loop() {
				time.Sleep(time.Millisecond)
			}
			used, took := redisUsed(b, s)-used, time.Since(began)
			checks := s.Admin.InfoMap(background, "commandstats").Item("Commandstats", "cmdstat_exec")
			calls, _, _ := strings.Cut(strings.TrimPrefix(checks, "calls="), ",")
			count, err := strconv.ParseFloat(calls, 64)
			must(b, err)
			b.ReportMetric(100*used.Seconds()/took.Seconds(), "%-of-a-core")
			b.ReportMetric(count/took.Seconds(), "checks/s")
			b.ReportMetric(float64(used.Microseconds())/count, "µs/check")
		})
	}
}

// redisUsed returns the processor time that the server has used.
func redisUsed(b *testing.B, s *redistest.Server) (used time.Duration) {
	info, err := s.Admin.Info(background, "cpu").Result()
	must(b, err)
	for _, name := range []string{"used_cpu_sys", "used_cpu_user"} {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(infoField("\n"+info, name)), 64)
		must(b, err)
		used += time.Duration(seconds * float64(time.Second))
	}
	return used
}
