//go:build !race

package fronts_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestPartMissing: with everything in place no audit finds a stale answer; without any one part an audit
// does: of an instance, if the instance serves it, or else through Varnish.
func TestPartMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	for name, test := range map[string]struct {
		setup   frontSetup
		atOne   bool // an audit of an instance finds a stale answer
		inFront bool // an audit through Varnish does
	}{
		"none":          {setup: frontSetup{}},
		"plugin":        {frontSetup{noPlugin: true}, true, true},
		"purge log":     {setup: frontSetup{noLog: true}, atOne: true},
		"purges onward": {setup: frontSetup{noOnward: true}, inFront: true},
		"keys in front": {setup: frontSetup{noKeys: true}, inFront: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.setup.kind = "varnish"
			v := newBehindVarnish(t, test.setup)
			v.audit(v.front) // so that all is stored
			defer v.load()()
			for n := range 4 {
				v.stored()
				v.edit(n%2, n >= 2)
			}
			if test.atOne {
				processtest.Eventually(t, "an audit of an instance finds it", func() bool { return v.staleAtOne() > 0 })
			}
			if test.inFront {
				processtest.Eventually(t, "an audit through Varnish finds it", func() bool { return v.audit(v.front).Stale > 0 })
			} else if !test.atOne {
				v.wantNoneStale()
			}
			n := v.staleAtOne()
			if !test.atOne && n > 0 {
				t.Errorf("instances serve %d stale answers, but what is missing is in front", n)
			}
		})
	}
}

// stored waits until Varnish and both instances serve the venue from their caches.
func (v *behindVarnish) stored() {
	v.Helper()
	for _, base := range v.everywhere() {
		processtest.Eventually(v.T, "the venue is cached", func() bool {
			res, err := http.Get(base + processtest.Neutral + "/venues/" + v.venue)
			if err != nil {
				v.Fatal(err)
			}
			res.Body.Close()
			if id := res.Header.Get("X-Varnish"); id != "" {
				return strings.Contains(id, " ") // a hit names the request that stored it too
			}
			return strings.Contains(res.Header.Get("Cache-Status"), "; hit")
		})
	}
}

func (v *behindVarnish) staleAtOne() (stale int) {
	v.Helper()
	for i := range v.instances {
		stale += v.audit(v.instance(i)).Stale
	}
	return stale
}
