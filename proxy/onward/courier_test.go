package onward

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestSettles: a purge leaves once the one before has arrived, and purges that are made together
// leave together.
func TestSettles(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Minute + time.Second) // not at the time of a check
		age := time.Since(start)
		i.purge("events:1", "events:2", "events:1")
		time.Sleep(time.Second)
		i.want("three purges", "events:1 events:2")
		if took := i.receiver.purges()[0].delay - age; took < settle || took > settle+50*time.Millisecond {
			t.Errorf("sent after %s, want about %s", took, settle)
		}
	})
}

// TestSettlesWhatIsRead: a purge of another instance is no younger when it is sent.
func TestSettlesWhatIsRead(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		time.Sleep(checkEvery - 10*time.Millisecond)
		age := time.Since(start)
		log.append(recordOf("events:1"))
		time.Sleep(time.Second)
		i.want("a purge just before a check", "events:1")
		if took := i.receiver.purges()[0].delay - age; took < settle || took > settle+50*time.Millisecond {
			t.Errorf("sent after %s, want about %s", took, settle)
		}
	})
}

// TestIdle: without purges an instance reads every ten seconds for each target, and without targets
// never.
func TestIdle(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Minute + time.Second)
		log.set(func() {})
		if log.reads != 7 {
			t.Errorf("%d reads in a minute, want 7", log.reads)
		}
		i.d.Configure(Plan{PublicURL: base, Languages: languages, Log: view{sharedLog: log, id: "a"}})
		i.purge("events:1")
		time.Sleep(time.Minute)
		log.set(func() {})
		if log.reads != 7 {
			t.Errorf("%d reads, of no target", log.reads-7)
		}
	})
}

// TestTargetDown: purges that wait for a target are sent together and in order once it accepts purges.
func TestTargetDown(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		i.receiver.set(func() (upstream.Response, error) { return upstream.Response{}, errors.New("refused") })
		i.purge("events:1")
		time.Sleep(time.Minute)
		i.purge("events:2", "en:events")
		time.Sleep(time.Minute)
		if s := i.d.Couriers()[0].Status(); s.Waiting != 3 || s.Lag < 120 || s.Failed < 24 || s.Fault != "refused" {
			t.Errorf("status %+v", s)
		}
		i.receiver.set(status(503))
		time.Sleep(time.Minute)
		i.receiver.set(nil)
		time.Sleep(longestPause + settle)
		i.want("after it is back", "en:events events:1 events:2")
		i.purge("events:3")
		time.Sleep(time.Second)
		i.want("the next one", "en:events events:1 events:2; events:3")
		if s := i.d.Couriers()[0].Status(); s.Waiting != 0 || s.Lag != 0 || s.Delivered != 4 || s.Fault != "" {
			t.Errorf("status %+v", s)
		}
	})
}

// TestPauses: pauses double, less a random part, from 200 ms to 5 s.
func TestPauses(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		var calls []time.Time
		i.receiver.set(func() (upstream.Response, error) {
			calls = append(calls, time.Now())
			return upstream.Response{Reply: mapping.Reply{Status: 500}}, nil
		})
		time.Sleep(time.Second)
		i.purge("events:1")
		for range 600 { // purges that come meanwhile make no call earlier, and few checks
			time.Sleep(100 * time.Millisecond)
			i.purge("events:2")
		}
		i.log.set(func() {})
		if i.log.reads > 4*60 {
			t.Errorf("%d reads in a minute", i.log.reads)
		}
		i.receiver.set(nil)
		for n, maximum := 1, shortestPause; n < len(calls); n, maximum = n+1, min(2*maximum, longestPause) {
			if pause := calls[n].Sub(calls[n-1]); pause < settle+maximum/2 || pause > settle+maximum {
				t.Errorf("pause %d is %s, want %s to %s", n, pause, settle+maximum/2, settle+maximum)
			}
		}
	})
}

// TestAllSwallows: a purge of everything is one key, and so are too many tags.
func TestAllSwallows(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		log.append(`{"v":3,"all":true,"soft":true}`)
		i.purge("events:1")
		time.Sleep(time.Second)
		log.append(recordOf(numbered("events:", maxTags+1)...))
		i.purge("events:2")
		time.Sleep(time.Second)
		i.want("everything", "all; all")
	})
}

// TestNotes: announcements purge nothing, and are acknowledged; the purge that ends a pending write is sent,
// and so is everything for a record that cannot be read.
func TestNotes(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		log.append(`{"v":3,"id":"X","note":true,"begins":true,"tags":["events:1"]}`)
		log.append("")
		log.set(func() { log.items[1].Record = nil }) // decisions
		time.Sleep(checkEvery + time.Second)
		i.want("notes", "")
		log.set(func() {})
		if len(log.pending) != 0 {
			t.Errorf("%d notes are not acknowledged", len(log.pending))
		}
		log.append(`{"v":3,"ends":"Y","tags":["events:2"]}`)
		time.Sleep(checkEvery + time.Second)
		i.want("the end of a pending write", "events:2")
		log.append(`{"v":9,"tags":["events:3"]}`)
		time.Sleep(checkEvery + time.Second)
		i.want("another version", "events:2; all")
	})
}

// TestMissed: everything is purged, by one instance, if records may be missing, and for a mark.
func TestMissed(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		log.missed = true
		target := &receiver{}
		i := newInstance(t, "a", log, target, Target{})
		defer i.close()
		defer newInstance(t, "b", log, target, Target{}).close()
		time.Sleep(time.Second)
		i.want("the first time", "all")
		i.purge("events:1")
		log.set(func() { log.missed = true })
		time.Sleep(checkEvery)
		i.want("a gap", "all; all")
		log.append("")
		log.set(func() { last := &log.items[len(log.items)-1]; last.Record, last.Mark = nil, true })
		time.Sleep(checkEvery + time.Second)
		i.want("a mark", "all; all; all")
	})
}

// TestOnce: of two instances that see a purge one sends it.
func TestOnce(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		target := &receiver{}
		a := newInstance(t, "a", log, target, Target{})
		b := newInstance(t, "b", log, target, Target{})
		defer a.close()
		defer b.close()
		for n, tag := range numbered("events:", 20) {
			[]*instance{a, b}[n%2].purge(tag)
			b.purged(cache.Purged{At: log.items[n].At})
			a.purged(cache.Purged{At: log.items[n].At})
			time.Sleep(time.Second)
		}
		time.Sleep(checkSoon) // the one that made the last purge looks whether it is delivered
		a.want("twenty purges", strings.Join(numbered("events:", 20), "; "))
		for _, i := range []*instance{a, b} {
			if s := i.d.Couriers()[0].Status(); s.Waiting != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestTakeOver: an instance that dies while it delivers loses nothing.
func TestTakeOver(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		a := newInstance(t, "a", log, &receiver{latency: time.Second}, Target{})
		b := newInstance(t, "b", log, &receiver{}, Target{})
		defer b.close()
		time.Sleep(time.Second)
		a.purge("events:1")
		time.Sleep(settle + 500*time.Millisecond) // a waits for the target
		a.kill()
		time.Sleep(time.Minute)
		b.want("while the other one may live", "")
		log.set(func() { log.dead["a"] = true })
		time.Sleep(checkEvery + time.Second)
		b.want("after that", "events:1")
		a.want("who died", "")
	})
}

// TestStops: an instance that stops sends waiting purges once more, and leaves the rest to others.
func TestStops(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		a := newInstance(t, "a", log, &receiver{latency: 500 * time.Millisecond}, Target{})
		b := newInstance(t, "b", log, &receiver{}, Target{})
		defer b.close()
		time.Sleep(time.Second)
		a.purge("events:1")
		time.Sleep(settle + 100*time.Millisecond)
		a.purge("events:2")
		a.close()
		a.want("in progress, and new", "events:1 events:2")
		if s := a.d.Couriers()[0].Status(); s.Failed != 0 || s.Delivered != 2 {
			t.Errorf("%+v", s)
		}
		b.purge("events:3")
		time.Sleep(time.Second)
		b.want("the rest", "events:3")
	})
}

// TestRedisDown: an instance sends its own purges, and all is sent when Redis is back.
func TestRedisDown(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		i.purge("events:1") // is in the log
		log.set(func() { log.down = true })
		i.purge("events:2") // is not
		i.purged(cache.Purged{Purge: cache.Purge{Tags: []string{"events:9"}}, At: 1})
		time.Sleep(time.Second)
		i.want("while it is down", "events:1 events:2")
		if s := i.d.Couriers()[0].Status(); !s.Alone || s.Waiting != 0 {
			t.Errorf("while it is down: %+v", s)
		}
		time.Sleep(time.Minute)
		log.set(func() { log.down = false })
		position := log.append(recordOf("events:2"))
		i.purged(cache.Purged{Purge: cache.Purge{Tags: []string{"events:2"}}, At: position, Local: true})
		time.Sleep(time.Second)
		i.want("when it is back", "events:1 events:2; events:1 events:2")
		if s := i.d.Couriers()[0].Status(); s.Alone || s.Waiting != 0 {
			t.Errorf("when it is back: %+v", s)
		}
		i.purge("events:3")
		time.Sleep(time.Second)
		i.want("afterwards", "events:1 events:2; events:1 events:2; events:3")
	})
}

// TestRedisLostWhileDelivering: accepted purges are sent again if they cannot be
// acknowledged.
func TestRedisLostWhileDelivering(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		i.receiver.set(func() (upstream.Response, error) {
			log.set(func() { log.down = true })
			return upstream.Response{Reply: mapping.Reply{Status: 200}}, nil
		})
		i.purge("events:1")
		time.Sleep(settle + 100*time.Millisecond)
		i.receiver.set(nil)
		time.Sleep(10 * time.Second)
		i.want("while it is down", "events:1; events:1")
		log.set(func() { log.down = false })
		time.Sleep(checkEvery)
		i.want("when it is back", "events:1; events:1; events:1")
	})
}

// TestWithoutRedis: the first delivery is everything, since an earlier process may have left some;
// the last one is made before the process ends.
func TestWithoutRedis(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", nil, &receiver{}, Target{})
		time.Sleep(time.Second)
		i.purge("events:1")
		time.Sleep(time.Second)
		i.purge("events:2")
		i.close()
		i.want("without redis", "all; events:1; events:2")
	})
}

// TestRetryAfter: the target says when it accepts calls again.
func TestRetryAfter(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		i.receiver.set(status(429, "Retry-After", "40"))
		i.purge("events:1")
		time.Sleep(settle + 100*time.Millisecond)
		i.receiver.set(nil)
		time.Sleep(39 * time.Second)
		i.want("before", "")
		time.Sleep(2 * time.Second)
		i.want("after", "events:1")
	})
}

// TestRefused: a purge that is refused for good holds no other back, and can be sent again.
func TestRefused(t *testing.T) {
	for name, log := range map[string]*sharedLog{"redis": newLog(), "without redis": nil} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(t *testing.T) {
				i := newInstance(t, "a", log, &receiver{}, Target{})
				defer i.close()
				time.Sleep(time.Second) // without Redis everything is purged first
				lines := i.receiver.whats()
				i.receiver.set(status(403))
				i.purge("events:1")
				time.Sleep(time.Second)
				i.purge("events:2")
				time.Sleep(time.Second)
				i.receiver.set(nil)
				i.purge("events:3")
				time.Sleep(time.Second)
				i.want("the next one", strings.TrimPrefix(lines+"; events:3", "; "))
				if l := i.letters(); len(l) != 2 || l[0].Status != 403 || l[0].Tags[0] != "events:1" {
					t.Errorf("letters %+v", l)
				}
				i.receiver.set(status(401))
				if r := i.replay(); r.Done || r.Deliveries != 2 || r.Fault != "status 401" {
					t.Errorf("refused again: %+v", r)
				}
				i.receiver.set(nil)
				if r := i.replay(); !r.Done || r.Deliveries != 2 {
					t.Errorf("accepted: %+v", r)
				}
				i.want("sent again", strings.TrimPrefix(lines+"; events:3; events:1 events:2", "; "))
				if l := i.letters(); len(l) != 0 {
					t.Errorf("letters afterwards %+v", l)
				}
			})
		})
	}
}

// TestRateLimit: within any window no more calls are made than the target's limit allows, and each
// purge arrives.
func TestRateLimit(t *testing.T) {
	for name, log := range map[string]*sharedLog{"redis": newLog(), "without redis": nil} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(t *testing.T) {
				limit := Limit{Calls: 5, Window: time.Minute}
				i := newInstance(t, "a", log, &receiver{}, Target{Limit: limit})
				defer i.close()
				tags := numbered("events:", 200)
				for _, tag := range tags {
					i.purge(tag)
					time.Sleep(2 * time.Second)
				}
				time.Sleep(time.Minute)
				got := i.receiver.purges()
				for n, g := range got {
					within := 0
					for _, purge := range got[n:] {
						if purge.delay-g.delay < limit.Window {
							within++
						}
					}
					if within > 2*limit.Calls { // at once, and regained
						t.Errorf("%d calls within a minute", within)
					}
				}
				lines := strings.TrimPrefix(strings.ReplaceAll(i.receiver.whats(), ";", ""), "all ")
				if arrived := strings.Fields(lines); len(arrived) < len(tags)-1 || len(arrived) > len(tags) { // one may join "all"
					t.Errorf("%d of %d tags arrived", len(arrived), len(tags))
				}
				if n := len(got); n < 30 || n > 41 {
					t.Errorf("%d calls", n)
				}
			})
		})
	}
}

// TestReload: a new configuration loses nothing of a target that it keeps, and stops the others.
func TestReload(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", nil, &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Second)
		i.receiver.set(status(500))
		i.purge("events:1")
		time.Sleep(time.Second)
		plan := Plan{Targets: []Target{{Name: "front", Kind: Varnish}}, PublicURL: base, Languages: languages, Keys: plainKeys{}}
		i.d.Configure(plan)
		i.receiver.set(nil)
		time.Sleep(longestPause + settle)
		i.want("after it", "all; events:1")
		if s := i.d.Couriers()[0].Status(); s.Delivered != 2 {
			t.Errorf("the counts begin again: %+v", s)
		}
		plan.Targets = append(plan.Targets, Target{Name: "other", Kind: Varnish})
		i.d.Configure(plan)
		time.Sleep(time.Second)
		plan.Targets = plan.Targets[1:]
		i.d.Configure(plan)
		i.purge("events:2")
		time.Sleep(time.Second)
		i.want("with another target", "all; events:1; all; events:2")
	})
}

// TestReloadWithAnotherLog: what was in the log of the configuration before is sent by this instance.
func TestReloadWithAnotherLog(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		i.purge("events:1")
		old := i.d.shared
		i.d.Configure(Plan{
			Targets: []Target{{Name: "front", Kind: Varnish}}, PublicURL: base, Languages: languages, Keys: plainKeys{},
			Log: view{sharedLog: newLog(), id: "a"},
		})
		synctest.Wait() // what comes later is not joined with the purge that the new courier was left
		i.d.Purged(old, cache.Purged{Purge: cache.Purge{Tags: []string{"events:2"}}, At: 7 << 16, Local: true})
		i.d.Purged(old, cache.Purged{Purge: cache.Purge{Tags: []string{"events:9"}}, At: 8 << 16})
		time.Sleep(time.Second)
		i.want("after it", "events:1; events:2")
	})
}
