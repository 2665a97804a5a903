package onward

import (
	"strings"
	"testing"
	"time"
)

// TestRepeat: what the target has accepted is sent once more, not before the interval and within two,
// and together with others.
func TestRepeat(t *testing.T) {
	for name, log := range map[string]func() *sharedLog{"with Redis": newLog, "without": func() *sharedLog { return nil }} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(t *testing.T) {
				i := newInstance(t, "a", log(), &receiver{}, Target{Repeat: 4 * time.Second})
				defer i.close()
				time.Sleep(time.Minute)
				first := i.receiver.whats()
				i.purge("events:1")
				time.Sleep(time.Second)
				i.purge("events:2")
				time.Sleep(time.Second)
				i.purge("events:3")
				time.Sleep(time.Minute)
				i.purge("events:4")
				time.Sleep(time.Minute)
				want := "events:1; events:2; events:3; events:1 events:2 events:3; events:4; events:4"
				if log() == nil {
					if first != "all; all" {
						t.Errorf("at the start: %q", first)
					}
					want = "all; all; " + want
				}
				i.want("with repetitions", want)
				i.neverEarly(4*time.Second, 8*time.Second+4*settle)
				if s := i.d.Couriers()[0].Status(); s.Delivered != uint64(len(strings.Fields(first))/2+4) || s.Waiting != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// neverEarly: a delivery that is repeated has at least one time between both, and at most another.
func (i *instance) neverEarly(least, maximum time.Duration) {
	i.t.Helper()
	first := map[string]time.Duration{}
	for _, got := range i.receiver.purges() {
		for key := range strings.FieldsSeq(got.name) {
			delay, again := first[key]
			first[key] = got.delay
			if again && (got.delay-delay < least || got.delay-delay > maximum) {
				i.t.Errorf("%s is repeated after %s", key, got.delay-delay)
			}
		}
	}
}

// TestRepeatAfterFailure: a repetition that fails is made later, new purges do not wait for it, and
// what the target refuses is dropped.
func TestRepeatAfterFailure(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{Repeat: 4 * time.Second})
		defer i.close()
		i.purge("events:1")
		time.Sleep(3 * time.Second)
		i.receiver.set(status(503))
		time.Sleep(10 * time.Second)
		i.purge("events:2")
		time.Sleep(time.Second)
		i.receiver.set(nil)
		time.Sleep(time.Minute)
		i.want("after a failure", "events:1; events:2; events:1; events:2")
		i.purge("events:3")
		time.Sleep(time.Second)
		i.receiver.set(status(400))
		time.Sleep(time.Minute)
		i.receiver.set(nil)
		time.Sleep(time.Minute)
		i.want("after a refusal", "events:1; events:2; events:1; events:2; events:3")
		if s := i.d.Couriers()[0].Status(); s.Refused != 0 || s.Rejected != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestRepeatBounded: many tags are repeated as everything, within the limit of the target, and a new
// configuration repeats what the one before has sent.
func TestRepeatBounded(t *testing.T) {
	virtually(t, func(t *testing.T) {
		i := newInstance(t, "a", newLog(), &receiver{}, Target{Repeat: 4 * time.Second, Limit: Limit{Calls: 100, Window: time.Hour}})
		i.purge("events:0")
		time.Sleep(time.Second)
		for n := range 6 {
			i.purge(numbered("events:"+string(rune('a'+n)), 200)...)
			time.Sleep(settle)
		}
		time.Sleep(time.Minute)
		if got := i.receiver.whats(); !strings.HasSuffix(got, "; all") {
			t.Errorf("%.200s ... %s", got, got[max(0, len(got)-100):])
		}
		i.purge("events:5")
		time.Sleep(time.Second)
		p := Plan{
			Targets:   []Target{{Name: "front", Kind: Varnish, Repeat: time.Second}},
			PublicURL: base, Languages: languages, Keys: plainKeys{}, Log: view{sharedLog: i.log, id: "a"},
		}
		i.d.Configure(p)
		time.Sleep(time.Minute)
		if got := i.receiver.whats(); !strings.HasSuffix(got, "; all; events:5; events:5") {
			t.Errorf("a new configuration: %s", got[max(0, len(got)-100):])
		}
		i.close()
	})
}
