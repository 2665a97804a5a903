package audit

import (
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/mapping/compare"
)

// maxOpen limits the entries that are suspected, or stale and still served.
const maxOpen = 500

// finding is an entry that is suspected, and later one that is stale. Only the goroutine of the auditor
// uses it, but for what is shown.
type finding struct {
	key     string
	entry   *cache.Entry // without its body
	tags    []string     // of what differs
	about   Finding      // of a suspicion
	samples uint64       // of a suspicion
	due     time.Time    // of a suspicion: when it is confirmed; of an undecided finding: when it is decided
	at      redisstore.Position
	proof   evidence
	shown   *Finding // in the ledger; nil for a suspicion
}

// is reports whether the finding is about an entry.
func (f *finding) is(e *cache.Entry) bool { return isSame(f.entry, e) }

// isSame reports whether two entries are of one fetch. One that was read from Redis again has another
// Created, by a little.
func isSame(a, b *cache.Entry) bool {
	return a.ETag == b.ETag && a.Position == b.Position && a.Created.Sub(b.Created).Abs() < time.Second
}

// suspect waits for the purge of an entry that differs.
func (a *Auditor) suspect(s Sample, held *cache.Entry, found []compare.Difference) {
	tags := concerned(s, found)
	a.replaced(s.Key)
	a.open[s.Key] = &finding{
		key:   s.Key,
		entry: &cache.Entry{ETag: held.ETag, Tags: held.Tags, Position: held.Position, Created: held.Created},
		tags:  tags, samples: 1,
		due: a.options.Clock().Add(a.options.Grace),
		about: Finding{
			Fetched: held.Created, Backend: s.Backend, Endpoint: s.Call.Endpoint.Name(), Language: s.Language, Call: s.Shown,
			Tags: tags[:min(len(tags), maxShown)], Paths: pathsOf(found), Redis: held.FromRedis(),
		},
	}
}

// replaced ends a finding about an earlier entry of a key.
func (a *Auditor) replaced(key string) {
	f := a.open[key]
	switch {
	case f == nil:
		return
	case f.shown == nil:
		a.options.Ledger.skip(Changed, f.samples)
	case f.shown.Cause == "":
		a.decide(f, a.options.Clock())
	}
	a.drop(f)
}

// sampleAgain counts another answer of an entry that differs.
func (a *Auditor) sampleAgain(f *finding) Skip {
	if f.shown == nil {
		f.samples++
		return ""
	}
	a.options.Ledger.count(a.options.Clock(), 1, 1)
	a.options.Ledger.sampled(f.shown)
	return ""
}

// check confirms, decides and forgets findings.
func (a *Auditor) check() {
	now := a.options.Clock()
	var oldest time.Time
	for _, f := range a.open {
		switch {
		case f.shown == nil && !now.Before(f.due):
			a.confirm(f, now)
		case f.shown != nil && f.shown.Cause == "":
			a.await(f, now)
		case f.shown != nil && !a.serves(f):
			a.drop(f)
		}
		if f.shown != nil && a.open[f.key] == f && a.serves(f) && (oldest.IsZero() || f.entry.Created.Before(oldest)) {
			oldest = f.entry.Created
		}
	}
	a.options.Ledger.setOldest(oldest)
}

// serves reports whether clients still get the entry as fresh.
func (a *Auditor) serves(f *finding) bool {
	held := a.options.Cache.Held(f.key)
	return held != nil && f.is(held)
}

func (a *Auditor) drop(f *finding) { delete(a.open, f.key) }

// confirm makes a suspicion a finding, if the entry is still served.
func (a *Auditor) confirm(f *finding, now time.Time) {
	c, l := a.options.Cache, a.options.Ledger
	f.at = c.Position()
	named, _ := c.PurgedSince(f.entry.Position, f.tags)
	if !a.serves(f) { // looked at last: a purge until here is in time
		a.drop(f)
		l.skip(Changed, f.samples)
		return
	}
	f.proof = evidence{lost: !c.Follows(), named: len(named) > 0, written: l.wrote(named, f.entry.Created)}
	f.about.Found, f.about.Samples, f.due = now, f.samples, now.Add(a.options.Late)
	f.shown = &f.about
	l.count(now, f.samples, f.samples)
	l.add(f.shown)
	if f.proof.decided() {
		a.decide(f, now)
	}
}

// await decides on a finding once its purge has come, or is not awaited any longer.
func (a *Auditor) await(f *finding, now time.Time) {
	came, everything := a.options.Cache.PurgedSince(f.at, f.tags)
	if f.proof.late = len(came) > 0 || everything; f.proof.late || !now.Before(f.due) {
		a.decide(f, now)
	}
}

// siteSilence is how long a site sends no purge before it counts as one that sends none.
const siteSilence = 24 * time.Hour

func (a *Auditor) decide(f *finding, now time.Time) {
	l := a.options.Ledger
	f.proof.purges = l.sentPurges(now.Add(-siteSilence))
	a.log(l.decide(f.shown, f.proof.cause()), now)
}

// decideAll decides on all findings at the end.
func (a *Auditor) decideAll() {
	for _, f := range a.open {
		if f.shown != nil && f.shown.Cause == "" {
			a.decide(f, a.options.Clock())
		}
	}
	a.options.Ledger.setOldest(time.Time{})
}

// Limits of the records in the log.
const (
	logEvery = 10 * time.Second
	logBurst = 10
)

// log logs a finding, with what differs and no value.
func (a *Auditor) log(f Finding, now time.Time) {
	if !a.logged.AllowN(now, 1) {
		return
	}
	a.options.Log.Warn("stale answer", zap.String("cause", string(f.Cause)), zap.String("backend", f.Backend), zap.String("endpoint", f.Endpoint),
		zap.String("language", f.Language), zap.Strings("tags", f.Tags), zap.Strings("first", f.Paths), zap.Duration("age", now.Sub(f.Fetched).Round(time.Second)),
		zap.Bool("from_redis", f.Redis), zap.String("hint", f.Cause.Hint()))
}
