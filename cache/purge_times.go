package cache

import "time"

// purgeTimes has the time of the last purge of each tag, by the clock of this process. A position of the log cannot be
// compared with the age of a response that a cache at the source had stored. The mutex of the log guards it.
type purgeTimes struct {
	minimum time.Time // of the last purge of every tag that tags lacks
	tags    map[string]time.Time
}

// maxPurgeTimes bounds the tags that are stored. Beyond it all tags count as purged with the last: too late, never too
// early.
const maxPurgeTimes = 10_000

// add adds a purge, possibly again. The zero time stands for a purge without a record, which the log makes when it may
// have missed some.
func (p *purgeTimes) add(moment time.Time, purge Purge) {
	if moment.IsZero() {
		moment = time.Now()
	}
	if purge.All || len(p.tags)+len(purge.Tags) > maxPurgeTimes {
		for _, last := range p.tags {
			moment = later(moment, last)
		}
		p.minimum = later(p.minimum, moment)
		p.tags = nil
		return
	}
	if p.tags == nil {
		p.tags = make(map[string]time.Time, len(purge.Tags))
	}
	for _, tag := range purge.Tags {
		p.tags[tag] = later(p.tags[tag], moment)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// last returns when any of the tags was purged last; the zero time: never.
func (p *purgeTimes) last(tags []string) time.Time {
	last := p.minimum
	for _, tag := range tags {
		last = later(last, p.tags[tag])
	}
	return last
}
