package telemetry

import (
	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
)

type (
	cacheStats = cache.Stats
	redisStats = redisstore.Stats
)

var cacheReadings = append(
	labelled("cache_lookups_total", "Cache lookups by result: fresh (hit), stale, nothing that may be served at once (miss), or a response that must not be shared (pass).", "result",
		part[cacheStats]{"hit", func(s *cacheStats) uint64 { return s.Hits }},
		part[cacheStats]{"stale", func(s *cacheStats) uint64 { return s.Stale }},
		part[cacheStats]{"miss", func(s *cacheStats) uint64 { return s.Misses }},
		part[cacheStats]{"pass", func(s *cacheStats) uint64 { return s.Passes }}),
	total("cache_fetches_total", "Responses fetched from the site for the cache, including background revalidation.", func(s *cacheStats) uint64 { return s.Fetches }),
	total("cache_collapsed_total", "Requests served by the fetch of a concurrent request.", func(s *cacheStats) uint64 { return s.Collapsed }),
	total("cache_purges_total", "Purges that this instance made: by writes and by the admin listener.", func(s *cacheStats) uint64 { return s.Purges }),
	total("cache_evictions_total", "Entries evicted from memory to make room.", func(s *cacheStats) uint64 { return s.Evictions }),
	total("cache_foreign_total", "Entries in Redis that are damaged or of another version, and were ignored.", func(s *cacheStats) uint64 { return s.Foreign }),
	level("cache_doubts", "Writes with unknown outcome. Responses that they may affect are served for at most a second.", func(s *cacheStats) float64 { return float64(s.Doubts) }),
	level("cache_pending_purges", "Purges that Redis has not taken yet: other instances may serve what they replace.", func(s *cacheStats) float64 { return float64(s.Pending) }),
	level("cache_bytes", "Bytes of entries in memory.", func(s *cacheStats) float64 { return float64(s.Bytes) }),
	level("cache_negative_bytes", "Bytes in memory of negative entries (not found), included in calfacade_cache_bytes.", func(s *cacheStats) float64 { return float64(s.Negative) }),
	level("cache_limit_bytes", "Maximum bytes of entries in memory.", func(s *cacheStats) float64 { return float64(s.Limit) }),
	level("cache_entries", "Entries in memory.", func(s *cacheStats) float64 { return float64(s.Entries) }),
)

// Known targets of the facade in use.
var targetReadings = []reading[TargetStats]{
	level("targets", "Remembered request targets, which are not parsed again.", func(s *TargetStats) float64 { return float64(s.Entries) }),
	level("targets_bytes", "Bytes of remembered request targets in memory.", func(s *TargetStats) float64 { return float64(s.Bytes) }),
	level("targets_limit_bytes", "Maximum bytes of remembered request targets.", func(s *TargetStats) float64 { return float64(s.Limit) }),
}

var redisReadings = append(append(
	labelled("redis_lookups_total", "Redis lookups by result.", "result",
		part[redisStats]{"hit", func(s *redisStats) uint64 { return s.Hits }},
		part[redisStats]{"miss", func(s *redisStats) uint64 { return s.Gets - min(s.Gets, s.Hits) }}),
	labelled("redis_errors_total", "Redis calls that failed (error), timed out (timeout), or were not made because Redis was down (skipped).", "kind",
		part[redisStats]{"error", func(s *redisStats) uint64 { return s.Errors }},
		part[redisStats]{"timeout", func(s *redisStats) uint64 { return s.Timeouts }},
		part[redisStats]{"skipped", func(s *redisStats) uint64 { return s.Skipped }})...),
	level("redis_up", "1 while Redis works, 0 while it does not answer or refuses writes.", func(s *redisStats) float64 { return number(s.Up) }),
	total("redis_breaker_trips_total", "Times that Redis was found to be down.", func(s *redisStats) uint64 { return s.Trips }),
	total("redis_breaker_probes_total", "Probes of Redis while it was down.", func(s *redisStats) uint64 { return s.Probes }),
	total("redis_stores_total", "Entries sent to Redis.", func(s *redisStats) uint64 { return s.Puts }),
	total("redis_store_errors_total", "Entries that could not be stored in Redis.", func(s *redisStats) uint64 { return s.PutErrors }),
	total("redis_log_appends_total", "Purges appended to the purge log that all instances share.", func(s *redisStats) uint64 { return s.Appends }),
	total("redis_log_append_errors_total", "Purges that Redis did not take in time, and that wait for it.", func(s *redisStats) uint64 { return s.AppendErrors }),
	total("redis_log_looks_total", "Looks at the end of the purge log. Requests that wait at the same time share one.", func(s *redisStats) uint64 { return s.Looks }),
	total("redis_log_followed_total", "Purges read from the purge log.", func(s *redisStats) uint64 { return s.Followed }),
	total("redis_log_breaks_total", "Gaps in the purge log. After each, older entries are not served.", func(s *redisStats) uint64 { return s.Breaks }),
)

// TargetStats describe the known request targets of a facade.
type TargetStats struct {
	Bytes, Limit uint64 // memory in use, and its limit
	Entries      int
}
