package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/cache/redisstore/redistest"
	"github.com/calfacade/calfacade/cache/testwait"
)

// pair is two instances of one site on a Redis, which the first one reaches through a relay.
type pair struct {
	first, second *world
	line          *redistest.Relay
}

func newPair(t *testing.T, fetch bool) pair {
	t.Helper()
	server, site, prefix := redistest.StartServer(t), newPlace(3), redistest.FreshPrefix()
	p := pair{line: redistest.StartRelay(t, server.Address)}
	instance := func(url string) *world {
		store, err := redisstore.Open(redisstore.Options{URLs: []string{url}, Prefix: prefix})
		redistest.Closing(t, store, err)
		w := newInstance(t, site, cache.Options{Shared: cache.Redis(store), FetchWithoutRedis: fetch, Lease: testwait.Limit}, func(o *Options) {
			o.Interval, o.Grace, o.Late = 10*time.Millisecond, time.Second, time.Second
		})
		testwait.Until(t, "the log is known", w.cache.Look)
		return w
	}
	p.first, p.second = instance("redis://"+p.line.Address), instance(server.URL())
	return p
}

// browse has clients of both instances read the first event until something is true.
func (p pair) browse(what string, until func() bool) {
	p.first.t.Helper()
	testwait.Until(p.first.t, what, func() bool {
		p.first.get(1)
		p.second.get(1)
		return until()
	})
}

// browseOn has them do so until the second instance has audited some more answers.
func (p pair) browseOn() {
	p.first.t.Helper()
	before := p.second.ledger.Stats(time.Now()).Audited
	p.browse("audits", func() bool { return p.second.ledger.Stats(time.Now()).Audited > before+15 })
}

// TestAnotherInstance: an instance that cannot read the purge log misses the purge that another
// one gets. Its auditor counts what it serves from memory, and that of the other one counts
// nothing. With FetchWithoutRedis there is nothing to count.
func TestAnotherInstance(t *testing.T) {
	t.Parallel()
	for name, fetch := range map[string]bool{"serve": false, "fetch": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, fetch)
			stats := func(w *world) Stats { return w.ledger.Stats(time.Now()) }
			p.browseOn()
			p.line.Cut(true)
			testwait.Until(t, "the log is out of reach", func() bool { return !p.first.cache.Look() && !p.first.cache.Follows() })
			p.browseOn()
			if s := stats(p.first); s.Stale > 0 {
				t.Fatalf("nothing has changed: %+v", s)
			}
			p.first.edit(1, "second")
			p.second.purge(1)
			if fetch {
				p.browseOn()
				if got := p.first.get(1); !strings.Contains(got, "second") {
					t.Errorf("without the log the client gets %s", got)
				}
			} else {
				var s Stats
				p.browse("a finding that is decided", func() bool {
					s = stats(p.first)
					return s.Stale > 0 && s.Undecided() == 0 && s.Oldest > 0
				})
				if f := s.Findings[0]; s.Causes[AnotherInstance] != s.Stale || f.Cause != AnotherInstance {
					t.Errorf("%+v", s)
				}
			}
			found := len(stats(p.first).Findings)
			p.line.Cut(false)
			testwait.Until(t, "the log is known again", p.first.cache.Follows)
			p.browse("nothing stale is served", func() bool { return stats(p.first).Oldest == 0 })
			p.browseOn()
			if s := stats(p.first); len(s.Findings) > found || fetch && s.Stale > 0 {
				t.Errorf("%+v", s)
			}
			if s := stats(p.second); s.Stale > 0 {
				t.Errorf("the other instance: %+v", s)
			}
		})
	}
}

// TestEntryOfAnotherInstance: a purge is lost. The findings of both instances have the same cause,
// and that of the instance which has the entry from Redis says so.
func TestEntryOfAnotherInstance(t *testing.T) {
	t.Parallel()
	p := newPair(t, false)
	p.second.purge(2) // the site sends purges
	p.second.get(1)
	p.browseOn()
	p.first.edit(1, "second")
	done := func(w *world) bool { s := w.ledger.Stats(time.Now()); return s.Stale > 0 && s.Undecided() == 0 }
	p.browse("findings", func() bool { return done(p.first) && done(p.second) })
	for _, test := range []struct {
		*world
		redis bool
	}{{p.first, true}, {p.second, false}} {
		s := test.ledger.Stats(time.Now())
		if f := s.Findings[0]; len(s.Findings) != 1 || f.Redis != test.redis || f.Cause != PurgeMissing {
			t.Errorf("from Redis: %t, %+v", test.redis, s)
		}
	}
}
