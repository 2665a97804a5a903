package statuspage

import (
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
	stats, pending := watched.Redis.Stats(), watched.Cache.Stats().Pending
	s := &redisStatus{
		Health: health{"good", "up", ""},
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
		s.Health = health{"bad", "down", "each instance serves alone"}
	case pending > 0:
		s.Health = health{"warn", "purges are pending", "other instances do not know them yet"}
	}
	s.Facts = append(s.Facts, fact{"Purges pending", humanize.Comma(int64(pending))})
	if at := watched.Cache.Newest(); !at.IsZero() {
		s.Newest = momentOf(at, now)
	}
	return s
}
