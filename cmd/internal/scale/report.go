package scale

// Result is what a run measured. Rates are a second.
type Result struct {
	Requests  float64 // of clients
	FrontHits float64 // share of the requests that a cache in front answered
	Hits      float64 // share of the requests to instances that were answered without waiting for the site

	SiteCalls float64
	SitePeak  float64 // calls to the site in the busiest second

	Idle               float64 // commands of Redis for following the log
	Entries            float64 // for entries and leases
	Purges             float64 // for purges
	ToCaches, ToFronts float64 // purges that arrive at instances, and are sent to caches in front

	Staleness Staleness
}

func (w *world) result(before, after counts) Result {
	seconds := w.setup.Measured.Seconds()
	rate := func(before, after int64) float64 { return float64(after-before) / seconds }
	n := after.commands.minus(before.commands)
	hits := after.caches.Hits + after.caches.Stale - before.caches.Hits - before.caches.Stale
	misses := after.caches.Misses - before.caches.Misses
	return Result{
		Requests:  float64(w.answers.answers) / seconds,
		FrontHits: float64(after.frontHits-before.frontHits) / float64(max(1, w.answers.answers)),
		Hits:      float64(hits) / float64(max(1, hits+misses)),
		SiteCalls: rate(before.site, after.site),
		SitePeak:  float64(after.most),
		Idle:      rate(0, n.Idle()),
		Entries:   rate(0, n.Entries()),
		Purges:    rate(0, n.Appends+n.Acks),
		ToCaches:  rate(before.delivered, after.delivered),
		ToFronts:  rate(before.onward, after.onward),
		Staleness: w.answers.result(),
	}
}
