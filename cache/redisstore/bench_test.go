package redisstore

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// notifier is a Follower that sends the position of each record.
type notifier chan Position

func (h notifier) Apply(at Position, _ []byte) { h <- at }
func (h notifier) Distrust(Position)           {}
func (h notifier) Caught(Position)             {}
func (h notifier) Checking()                   {}
func (h notifier) Lost()                       {}

// BenchmarkRedisPropagation measures the time from the beginning of Append in one instance to
// Apply in another: go test -run - -bench RedisPropagation -benchtime 600x ./cache/redisstore
func BenchmarkRedisPropagation(b *testing.B) {
	s := redistest.StartServer(b)
	o := Options{URLs: []string{s.URL()}}
	writer, reader := open(b, o), open(b, o)
	h := make(notifier)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	go reader.Follow(ctx, h)
	mustAppend(b, writer, "first")
	<-h
	var durations []time.Duration
	for b.Loop() {
		start := time.Now()
		mustAppend(b, writer, "record")
		<-h
		durations = append(durations, time.Since(start))
	}
	slices.Sort(durations)
	b.ReportMetric(float64(durations[len(durations)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkRedisFirstGet measures the first lookup after Redis died or hung.
func BenchmarkRedisFirstGet(b *testing.B) {
	for name, down := range map[string]func(*redistest.Server){"dead": (*redistest.Server).Kill, "hung": (*redistest.Server).Freeze} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := redistest.StartServer(b)
				r, err := Open(Options{URLs: []string{s.URL()}})
				must(b, err)
				r.Put(background, "key", []byte("x"), time.Hour)
				down(s)
				b.StartTimer()
				r.Get(background, "key")
				b.StopTimer()
				must(b, r.Close())
				s.Kill()
				b.StartTimer()
			}
		})
	}
}

func BenchmarkRedisGet(b *testing.B) {
	s := redistest.StartServer(b)
	r := open(b, Options{URLs: []string{s.URL()}, Budget: time.Second})
	for name, size := range map[string]int{"list": 48_000, "single": 4_800} {
		b.Run(name, func(b *testing.B) {
			r.Put(background, name, make([]byte, size), time.Hour)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := r.Get(background, name); !ok {
					b.Fatal("missed")
				}
			}
		})
	}
}
