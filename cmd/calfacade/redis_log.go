package main

import (
	"sync"
	"time"

	"go.uber.org/zap"
)

// redisLogEvery is the interval between two records of a Redis that goes down, so that one
// that flaps does not fill the log.
const redisLogEvery = time.Minute

// redisLog logs when Redis goes down and when it is back, one record each. Outages within
// redisLogEvery of a record are counted, and logged with the next record; one that lasts is
// logged when the interval ends.
type redisLog struct {
	log *zap.Logger

	mu     sync.Mutex
	next   time.Time // no record of an outage before
	since  time.Time // of the current outage; zero if Redis is up
	logged bool      // the current outage
	missed int       // outages without a record since the last one
	late   *time.Timer
}

func newRedisLog(log *zap.Logger) *redisLog { return &redisLog{log: log} }

// changed is [redisstore.Options.Changed].
func (l *redisLog) changed(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.late != nil {
		l.late.Stop()
		l.late = nil
	}
	now := time.Now()
	switch {
	case cause == nil && l.logged:
		l.log.Info("redis is back", zap.Duration("after", now.Sub(l.since)))
	case cause == nil:
		l.missed++
	case now.Before(l.next):
		l.late = time.AfterFunc(l.next.Sub(now), func() { l.lasts(now, cause) })
	}
	l.logged, l.since = false, time.Time{}
	if cause != nil {
		l.since = now
		if !now.Before(l.next) {
			l.down(cause)
		}
	}
}

// lasts logs an outage that began within the interval, if it is still the current one.
func (l *redisLog) lasts(since time.Time, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.Equal(since) && !l.logged {
		l.down(cause)
	}
}

// down logs the current outage. The caller holds l.mu.
func (l *redisLog) down(cause error) {
	fields := []zap.Field{zap.Error(cause)}
	if l.missed > 0 {
		fields = append(fields, zap.Int("earlier_outages_not_logged", l.missed))
	}
	l.log.Warn("redis is down, the instance serves from memory and from the site", fields...)
	l.logged, l.missed, l.next = true, 0, time.Now().Add(redisLogEvery)
}
