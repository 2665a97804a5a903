package scale

import "time"

// Setup is what a run simulates. The zero value of a switch includes the part.
type Setup struct {
	Seed uint64

	Instances int // at least 1
	Fronts    int // caches in front; 0: clients call the instances

	NoRedis   bool          // each instance is alone, and each purge is sent to all of them
	NoLeases  bool          // instances do not wait for one another's calls to the site
	NoPurges  bool          // entries expire by their lifetime alone
	NoOnward  bool          // purges do not reach the caches in front
	FrontLife time.Duration // lifetime in the caches in front; 0: what is left of the entry's own

	Items     int // of the site, each in every language
	Languages int
	Pages     int     // of lists, in each language; each shows something of every item
	Lists     float64 // share of requests for a list
	Skew      float64 // exponent of the Zipf distribution of requests over items; above 1

	Requests float64 // a second, of all clients
	Edits    float64 // an hour
	Writes   float64 // share of the edits that are made through calfacade

	LostPurges float64       // share of the purges of the site that never arrive
	LostOnward float64       // share of the purges that never arrive at a cache in front
	PurgeDelay Range         // from an edit on the site until its purge is sent
	Onward     Range         // from a purge until it arrives at a cache in front
	Hold       time.Duration // from a purge until it is sent to the caches in front, so that answers from before it have arrived there

	Site    Range // time of a call to the site
	Network Range // one way between a cache in front and an instance
	Redis   Range // one way between an instance and Redis

	Fresh, StaleWhileRevalidate time.Duration // of entries
	PurgeWait                   time.Duration

	WarmUp, Measured time.Duration
}

// Range is an interval of times. Draws from it are uniform.
type Range struct{ Min, Max time.Duration }

// Default is a site of 20,000 items in 4 languages with the default configuration of
// calfacade, and 16 instances of it on one Redis without caches in front.
func Default() Setup {
	return Setup{
		Seed: 1, Instances: 16,
		Items: 20_000, Languages: 4, Pages: 25, Lists: 0.2, Skew: 1.01,
		Requests: 1_000, Edits: 1_200, Writes: 0.25,
		PurgeDelay: Range{50 * time.Millisecond, 500 * time.Millisecond},
		Onward:     Range{2 * time.Millisecond, 50 * time.Millisecond},
		Hold:       250 * time.Millisecond,
		Site:       Range{100 * time.Millisecond, 400 * time.Millisecond},
		Network:    Range{time.Millisecond, 20 * time.Millisecond},
		Redis:      Range{100 * time.Microsecond, 300 * time.Microsecond},
		Fresh:      time.Minute, StaleWhileRevalidate: 5 * time.Minute, PurgeWait: 250 * time.Millisecond,
		WarmUp: 90 * time.Second, Measured: 2 * time.Minute,
	}
}

// Bound returns the longest time after an edit at which a request may still get an answer
// from before it, if no purge is lost: the edit's purge is sent, holds at every instance, and
// reaches every cache in front. An edit through calfacade is announced and purged before it is
// answered, so that its bound is below that of an edit on the site. A cache in front to which a
// purge is sent at once may store an answer from before it afterwards.
func (s Setup) Bound() time.Duration {
	switch {
	case s.NoPurges, s.NoRedis && s.Writes > 0 && s.Instances > 1, s.Fronts > 0 && (s.NoOnward || s.Hold < 2*s.Network.Max):
		return s.life()
	}
	bound := max(s.PurgeDelay.Max, s.Site.Max) + 2*s.Redis.Max + s.PurgeWait
	if s.Fronts > 0 {
		bound += s.Hold + s.Onward.Max
	}
	return bound
}

// life returns the longest time for which an entry may be served at all.
func (s Setup) life() time.Duration {
	return s.Fresh + s.StaleWhileRevalidate + s.FrontLife + s.Site.Max
}
