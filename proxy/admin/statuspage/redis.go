package statuspage

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// redisStatus is the state of Redis.
type redisStatus struct {
	Health health
	Figure figure
	Newest moment // of the log; the zero moment if nothing is in it
	Facts  []fact
}

func redisStatusOf(watched *telemetry.Sources, h history, r readings, now time.Time) *redisStatus {
	stats, lag := watched.Redis.Stats(), watched.Cache.LogLag(now)
	s := &redisStatus{
		Health: health{"good", "up", "breaker closed"},
		Figure: h.latencyFigure("Commands", "95th percentile of commands to Redis", func(s sample) latency { return s.redisTook }),
		Facts: []fact{
			{"Responses found", count64(float64(stats.Hits)) + " of " + count64(float64(stats.Gets))},
			{"Responses stored", count64(float64(stats.Puts))},
			{"Errors", count64(float64(stats.Errors))},
			{"Timeouts", count64(float64(stats.Timeouts))},
			{"Times unavailable", humanize.Comma(int64(stats.Trips))},
			{"Times purges were missed", count64(float64(stats.Breaks))},
		},
	}
	switch {
	case !stats.Up:
		s.Health = health{"bad", "down", "breaker open: each instance serves from memory alone"}
	case lag > maxLag:
		s.Health = health{"warn", "the purge log is not read", ""}
	}
	known := "not yet"
	if !math.IsInf(lag, 0) {
		known = fmt.Sprintf("%.1f s ago", lag)
	}
	s.Facts = append(s.Facts, fact{"Purges received up to", known})
	if at := watched.Cache.Newest(); !at.IsZero() {
		s.Newest = momentOf(at, now)
	}
	return s
}

// maxLag is the lag in seconds above which the page warns. The log is read several times a
// second.
const maxLag = 5
