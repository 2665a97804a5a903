package audit

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestHealthySiteHasNoFindings: clients read, editors edit, writers write, and the purges of edits take up to
// three seconds. Nothing is found, in many runs that differ.
func TestHealthySiteHasNoFindings(t *testing.T) {
	t.Parallel()
	var audited, seeds, want uint64 = 0, 20, 5000
	if testing.Short() {
		seeds, want = 2, 500
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			const events = 12
			w := newWorld(t, events, nil)
			w.random = rand.New(rand.NewPCG(seed, 7))
			end := time.Now().Add(5 * time.Minute)
			var all sync.WaitGroup
			actor := func(pause time.Duration, act func()) {
				all.Go(func() {
					for time.Now().Before(end) {
						w.delay(pause)
						act()
					}
				})
			}
			for range 4 {
				actor(300*time.Millisecond, func() { w.get(w.number(events + 1)) })
			}
			text := func() string {
				if w.number(4) == 0 {
					return "" // deleted
				}
				return strconv.Itoa(w.number(1000))
			}
			actor(8*time.Second, func() {
				id := 1 + w.number(events)
				w.edit(id, text())
				w.delay(3 * time.Second)
				w.purge(id)
			})
			actor(6*time.Second, func() { w.write(1+w.number(events), text()) })
			all.Wait()
			time.Sleep(time.Minute)
			s := w.ledger.Stats(time.Now())
			if audited += s.Audited; s.Stale > 0 {
				t.Errorf("seed %d: %+v", seed, s)
			}
		})
	}
	if audited < want {
		t.Errorf("%d answers were audited", audited)
	}
}

// TestFindsEveryCause plants each fault, and expects its cause alone.
func TestFindsEveryCause(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		want  Cause
		plant func(w *world)
	}{
		{"the plugin is off", WithinTTL, func(w *world) { w.edit(1, "second") }},
		{"the purge is lost", PurgeMissing, func(w *world) {
			w.purge(2) // of another change
			w.get(1)
			w.edit(1, "second")
		}},
		{"the purge is late", PurgeLate, func(w *world) {
			w.edit(1, "second")
			time.AfterFunc(20*time.Second, func() { w.purge(1) })
		}},
		{"everything is purged late", PurgeLate, func(w *world) {
			w.edit(1, "second")
			time.AfterFunc(20*time.Second, func() { w.cache.Purge(w.t.Context(), allOf("http")) })
		}},
		{"another purge comes later", PurgeMissing, func(w *world) {
			w.edit(1, "second")
			time.AfterFunc(20*time.Second, func() { w.purge(2) })
		}},
		{"the entry lacks its tag", WrongTag, func(w *world) {
			w.untagged = true
			w.purge(1)
			w.get(1)
			w.edit(1, "second")
			w.cache.Purge(w.t.Context(), itemOf("events:1", "http"))
		}},
		{"the entry lacks its tag, after a write", WrongTag, func(w *world) {
			w.write(1, "first")
			w.untagged = true
			w.purge(1)
			w.get(1)
			w.edit(1, "second")
			w.cache.Purge(w.t.Context(), itemOf("events:1", "http"))
		}},
		{"a write purges too little", Write, func(w *world) {
			w.untagged = true
			w.purge(1)
			w.get(1)
			w.edit(1, "second")
			w.cache.Purge(w.t.Context(), itemOf("events:1", "write"))
		}},
		{"another change follows a write", WithinTTL, func(w *world) {
			w.write(1, "first")
			w.get(1)
			w.edit(1, "second")
		}},
		{"the item is deleted", WithinTTL, func(w *world) { w.edit(1, "") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 3, nil)
				w.browse(1, 10*time.Second)
				if s := w.ledger.Stats(time.Now()); s.Stale > 0 || s.Audited < 20 {
					t.Fatalf("before: %+v", s)
				}
				test.plant(w)
				w.browse(1, 15*time.Second)
				if s := w.ledger.Stats(time.Now()); s.Stale == 0 || s.Oldest == 0 {
					t.Fatalf("not found: %+v", s)
				}
				w.browse(1, 2*time.Minute)
				s := w.ledger.Stats(time.Now())
				if s.Causes[test.want] != s.Stale || s.Undecided() != 0 || len(s.Findings) == 0 {
					t.Errorf("%+v", s)
				}
				f := s.Findings[len(s.Findings)-1]
				if f.Cause != test.want || f.Endpoint != "events.read" || !strings.Contains(strings.Join(f.Tags, " "), "events:1") {
					t.Errorf("%+v", f)
				}
				if log := w.log.String(); strings.Count(log, "stale answer") == 0 || !strings.Contains(log, string(test.want)) || strings.Contains(log, "second") {
					t.Errorf("log: %s", log)
				}
			})
		})
	}
}

// TestFindsItemsOfLists: an event that is new, changed or gone makes a list stale, and its tags are named.
func TestFindsItemsOfLists(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]string{"changed": "second", "gone": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 3, nil)
				w.browse(0, 5*time.Second)
				w.edit(2, title)
				w.browse(0, 2*time.Minute)
				s := w.ledger.Stats(time.Now())
				if len(s.Findings) != 1 || s.Findings[0].Cause != WithinTTL || strings.Join(s.Findings[0].Tags, " ") != "events:2 events:any" {
					t.Errorf("%+v", s)
				}
				w.purge(2)
				w.browse(0, 10*time.Second)
				if s := w.ledger.Stats(time.Now()); s.Oldest != 0 {
					t.Errorf("purged, and still stale: %+v", s)
				}
			})
		})
	}
}

// TestFindsWhatIsCreated: an event that is new makes a cached 404 stale, and its tags are named.
func TestFindsWhatIsCreated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3, nil)
		w.edit(1, "")
		w.get(1)
		w.edit(1, "first")
		w.browse(1, 2*time.Minute)
		s := w.ledger.Stats(time.Now())
		if len(s.Findings) != 1 || s.Findings[0].Cause != WithinTTL || strings.Join(s.Findings[0].Tags, " ") != "events:1 events:any" || s.Oldest != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestNoiseIsNoFinding: what differs in each response of the site is none.
func TestNoiseIsNoFinding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, nil)
		w.restless = true
		w.browse(1, time.Minute)
		if s := w.ledger.Stats(time.Now()); s.Stale > 0 || s.Audited < 20 {
			t.Errorf("%+v", s)
		}
		w.edit(1, "second")
		w.browse(1, time.Minute)
		if s := w.ledger.Stats(time.Now()); s.Stale == 0 {
			t.Errorf("a change behind the noise: %+v", s)
		}
	})
}

// TestSiteThatFailsIsNoFinding, and an outage costs no more calls than a healthy site.
func TestSiteThatFailsIsNoFinding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, nil)
		w.get(1)
		w.edit(1, "second")
		w.down = true
		w.browse(1, time.Minute)
		if s := w.ledger.Stats(time.Now()); s.Stale+s.Audited > 0 || s.Skipped[Unread] < 20 {
			t.Errorf("%+v", s)
		}
	})
}

// TestRate: the calls do not depend on the traffic.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, func(o *Options) { o.Interval = time.Second })
		for range 20 {
			go w.browse(1, 10*time.Minute)
		}
		time.Sleep(11 * time.Minute)
		w.auditor.Close()
		if w.reads < 450 || w.reads > 700 {
			t.Errorf("%d calls in ten minutes", w.reads)
		}
	})
}

// TestPopularAnswersAreSampledMost: as often as they are served.
func TestPopularAnswersAreSampledMost(t *testing.T) {
	if testing.Short() {
		t.Skip("many requests, one after the other: there is little for -race")
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 10, nil)
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); w.delay(40 * time.Millisecond) {
			w.get(1 + max(0, w.number(100)-90)) // nine in ten for the first
		}
		for i := range 9 {
			w.edit(i+2, "second") // all but the popular one
		}
		before := w.ledger.Stats(time.Now())
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); w.delay(40 * time.Millisecond) {
			w.get(1 + max(0, w.number(100)-90))
		}
		s := w.ledger.Stats(time.Now())
		if share := float64(s.Stale) / float64(s.Audited-before.Audited); share < 0.05 || share > 0.13 {
			t.Errorf("%.3f of the answers are stale, want about 0.09: %+v", share, s)
		}
	})
}

// TestClose: findings whose cause is not decided get one.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, nil)
		w.get(1)
		w.edit(1, "second")
		w.browse(1, 10*time.Second)
		if s := w.ledger.Stats(time.Now()); s.Stale == 0 || s.Undecided() != s.Stale {
			t.Fatalf("%+v", s)
		}
		w.auditor.Close()
		if s := w.ledger.Stats(time.Now()); s.Undecided() != 0 || s.Oldest != 0 {
			t.Errorf("%+v", s)
		}
	})
}
