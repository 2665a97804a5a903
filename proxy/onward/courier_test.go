package onward

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/upstream"
)

// TestSettles: a purge leaves once no instance serves what it invalidates, and purges that are
// made together leave together.
func TestSettles(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Minute)
		made := time.Since(start)
		i.purge("events:1", "events:2", "events:1")
		time.Sleep(time.Second)
		i.want("three purges", "events:1 events:2")
		if took := i.to.all()[0].at - made; took < settle || took > settle+50*time.Millisecond {
			t.Errorf("sent after %s, want about %s", took, settle)
		}
	})
}

// TestTargetDown: what waits for a target is sent together and in order once it accepts purges.
func TestTargetDown(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{})
		defer i.close()
		i.to.set(func() (upstream.Response, error) { return upstream.Response{}, errors.New("refused") })
		i.purge("events:1")
		time.Sleep(time.Minute)
		i.purge("events:2", "en:events")
		time.Sleep(time.Minute)
		if s := i.d.Statuses()[0]; s.Waiting != 3 || s.Lag < 2*time.Minute || s.Failed < 5 || s.Fault != "refused" {
			t.Errorf("status %+v", s)
		}
		i.to.set(status(503))
		time.Sleep(time.Minute)
		i.to.set(nil)
		time.Sleep(longestPause)
		i.want("after it is back", "en:events events:1 events:2")
		i.purge("events:3")
		time.Sleep(time.Second)
		i.want("the next one", "en:events events:1 events:2; events:3")
		if s := i.d.Statuses()[0]; s.Waiting != 0 || s.Lag != 0 || s.Delivered != 4 || s.Fault != "" {
			t.Errorf("status %+v", s)
		}
	})
}

// TestAllSwallows: a purge of everything is one key, and so are too many tags.
func TestAllSwallows(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		i.purge("events:1")
		log.append("soft2 all")
		time.Sleep(time.Second)
		log.append("hard2\n" + strings.Join(numbered("events:", maxTags+1), "\n"))
		i.purge("events:2")
		time.Sleep(time.Second)
		i.want("everything", "all; all")
	})
}

// TestNotes: announcements purge nothing; the purge that ends a doubt does, and so does a record
// that cannot be read.
func TestNotes(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		log.append("soft2\n!note\n!doubt X\nevents:1")
		time.Sleep(time.Second)
		log.append("soft2\n!note\n!settles X")
		time.Sleep(lookEvery)
		i.want("notes", "")
		log.append("hard2\n!settles Y\nevents:2")
		time.Sleep(lookEvery + time.Second)
		i.want("the end of a doubt", "events:2")
		log.append("hard9\nevents:3")
		time.Sleep(lookEvery + time.Second)
		i.want("another version", "events:2; all")
	})
}

// TestMissed: everything is purged if records may be missing, and at first.
func TestMissed(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		log.begun = false
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Second)
		i.want("the first time", "all")
		i.purge("events:1")
		log.set(func() { log.missed = true })
		time.Sleep(time.Second)
		i.want("a gap", "all; all")
		log.append("")
		log.set(func() { last := &log.items[len(log.items)-1]; last.Record, last.Mark = nil, true })
		time.Sleep(lookEvery + time.Second)
		i.want("a mark", "all; all; all")
	})
}

// TestTakeOver: an instance that is killed while it delivers loses nothing, and no two deliver.
func TestTakeOver(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		a := newInstance(t, "a", log, &receiver{latency: time.Second}, Target{})
		time.Sleep(time.Second)
		b := newInstance(t, "b", log, &receiver{}, Target{})
		defer b.close()
		a.purge("events:1")
		b.source.Purged(cache.Applied{Purge: cache.Purge{Tags: []string{"events:1"}}, At: log.items[0].At})
		time.Sleep(settle + 500*time.Millisecond) // a waits for the target
		b.want("while the other one delivers", "")
		a.kill("a")
		time.Sleep(time.Second)
		b.want("before its registration is over", "")
		log.set(func() { log.dead["a"] = true })
		time.Sleep(2 * watchEvery)
		b.want("after that", "events:1")
		if a.to.whats() != "" {
			t.Error("the killed one has delivered")
		}
	})
}

// TestHandsOver: an instance that stops lets its delivery end, and leaves the rest to another.
func TestHandsOver(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		a := newInstance(t, "a", log, &receiver{latency: 500 * time.Millisecond}, Target{})
		time.Sleep(time.Second)
		b := newInstance(t, "b", log, &receiver{}, Target{})
		defer b.close()
		a.purge("events:1")
		time.Sleep(settle + 100*time.Millisecond)
		a.close()
		a.want("in progress", "events:1")
		b.purge("events:2")
		time.Sleep(time.Second)
		b.want("the rest", "events:2")
	})
}

// TestRedisDown: an instance sends what it made itself, and all is sent when Redis is back.
func TestRedisDown(t *testing.T) {
	virtually(t, func(t *testing.T) {
		log := newLog()
		i := newInstance(t, "a", log, &receiver{}, Target{})
		defer i.close()
		i.purge("events:1") // is in the log
		log.set(func() { log.down = true })
		i.purge("events:2") // is not
		i.source.Purged(cache.Applied{Purge: cache.Purge{Tags: []string{"events:9"}}, At: 1})
		time.Sleep(time.Second)
		i.want("while it is down", "events:1 events:2")
		if s := i.d.Statuses()[0]; s.Holds || !s.Alone || s.Waiting != 0 {
			t.Errorf("while it is down: %+v", s)
		}
		time.Sleep(time.Minute)
		log.set(func() { log.down = false })
		at := log.append("hard2\nevents:2")
		i.source.Purged(cache.Applied{Purge: cache.Purge{Tags: []string{"events:2"}}, At: at, Local: true})
		time.Sleep(time.Second)
		i.want("when it is back", "events:1 events:2; events:1; events:2")
		if s := i.d.Statuses()[0]; !s.Holds || s.Alone || s.Waiting != 0 {
			t.Errorf("when it is back: %+v", s)
		}
		i.purge("events:3")
		time.Sleep(time.Second)
		i.want("afterwards", "events:1 events:2; events:1; events:2; events:3")
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
		i.to.set(status(429, "Retry-After", "40"))
		i.purge("events:1")
		time.Sleep(settle + 100*time.Millisecond)
		i.to.set(nil)
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
				before := i.to.whats()
				i.to.set(status(403))
				i.purge("events:1")
				time.Sleep(time.Second)
				i.purge("events:2")
				time.Sleep(time.Second)
				i.to.set(nil)
				i.purge("events:3")
				time.Sleep(time.Second)
				i.want("the next one", strings.TrimPrefix(before+"; events:3", "; "))
				ctx := context.Background()
				if l := i.d.Letters(ctx)["front"]; len(l) != 2 || l[0].Status != 403 || l[0].Tags[0] != "events:1" {
					t.Errorf("letters %+v", l)
				}
				i.to.set(status(401))
				if r := i.d.Replay(ctx)[0]; r.Done || r.Deliveries != 2 || r.Fault != "status 401" {
					t.Errorf("refused again: %+v", r)
				}
				i.to.set(nil)
				if r := i.d.Replay(ctx)[0]; !r.Done || r.Deliveries != 2 {
					t.Errorf("accepted: %+v", r)
				}
				i.want("sent again", strings.TrimPrefix(before+"; events:3; events:1 events:2", "; "))
				if l := i.d.Letters(ctx)["front"]; len(l) != 0 {
					t.Errorf("letters afterwards %+v", l)
				}
			})
		})
	}
}

// TestRateLimit: within any window no more calls are made than the target's limit allows, and each
// purge arrives.
func TestRateLimit(t *testing.T) {
	virtually(t, func(t *testing.T) {
		limit := Limit{5, time.Minute}
		i := newInstance(t, "a", newLog(), &receiver{}, Target{Limit: limit})
		defer i.close()
		tags := numbered("events:", 200)
		for _, tag := range tags {
			i.purge(tag)
			time.Sleep(2 * time.Second)
		}
		time.Sleep(time.Minute)
		got := i.to.all()
		for n, g := range got {
			within := 0
			for _, other := range got[n:] {
				if other.at-g.at < limit.Window {
					within++
				}
			}
			if within > 2*limit.Calls { // at once, and regained
				t.Errorf("%d calls within a minute", within)
			}
		}
		if arrived := strings.Fields(strings.ReplaceAll(i.to.whats(), ";", "")); len(arrived) != len(tags) {
			t.Errorf("%d of %d tags arrived", len(arrived), len(tags))
		}
		if n := len(got); n < 30 || n > 41 {
			t.Errorf("%d calls", n)
		}
	})
}

// TestReload: a new configuration loses nothing of a target that it keeps.
func TestReload(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", nil, &receiver{}, Target{})
		defer i.close()
		time.Sleep(time.Second)
		i.to.set(status(500))
		i.purge("events:1")
		time.Sleep(time.Second)
		i.d.Configure(Plan{Targets: []Target{{Name: "front", Kind: Varnish}}, Site: site, Keys: plainKeys{}, Settle: settle, Source: i.source})
		i.to.set(nil)
		time.Sleep(longestPause)
		i.want("after it", "all; events:1")
		if s := i.d.Statuses()[0]; s.Delivered != 2 {
			t.Errorf("the counts begin again: %+v", s)
		}
	})
}
