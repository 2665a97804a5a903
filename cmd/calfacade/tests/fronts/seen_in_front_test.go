//go:build !race

package fronts_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// The faults of trials, in turn.
const (
	noFault = iota
	otherKilled
	editorKilled
	redisKilledBefore
	redisKilledAfter
	faults
)

// trial makes an edit with a fault, and returns how long a client of Varnish did not see it.
func (v *behindVarnish) trial(n int) time.Duration {
	v.Helper()
	editor := n / faults % 2
	fault := n % faults
	for range 3 { // Varnish has stored it; the load reads it from both instances
		if got := v.versionAt(v.front); got != v.version {
			v.Errorf("trial %d: version %d is served again, after %d was", n, got, v.version)
		}
	}
	killed := -1
	switch fault {
	case otherKilled:
		killed = 1 - editor
		v.instances[killed].Kill()
	case redisKilledBefore:
		v.redis.Kill()
	}
	v.edit(editor, n/faults/2%2 == 1)
	began := time.Now()
	switch fault {
	case editorKilled:
		killed = editor
		v.instances[killed].Kill()
	case redisKilledAfter:
		v.redis.Kill()
	}
	processtest.Eventually(v.T, "a client of Varnish sees the edit", func() bool { return v.versionAt(v.front) == v.version })
	took := time.Since(began)
	if fault == redisKilledBefore || fault == redisKilledAfter {
		v.redis.Start()
	}
	if killed >= 0 {
		v.begin(killed)
	}
	v.ready()
	v.settled.Store(int64(v.version))
	return took
}

// TestSeenInFront: clients of a real Varnish see a write through the facade, and an edit of the
// site, while instances and Redis are killed in turn. CALFACADE_TRIALS makes more trials, each of
// which must take less than a second.
func TestSeenInFront(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	for _, kind := range []string{"varnish", "varnish-ban"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			trials := faults
			limit := time.Duration(0)
			if text := os.Getenv("CALFACADE_TRIALS"); text != "" && kind == "varnish" {
				var err error
				if trials, err = strconv.Atoi(text); err != nil {
					t.Fatal(err)
				}
				limit = time.Second
			}
			v := newBehindVarnish(t, frontSetup{kind: kind})
			stop := v.load()
			defer stop()
			var worst, sum time.Duration
			late := 0
			for n := range trials {
				took := v.trial(n)
				worst, sum = max(worst, took), sum+took
				if limit > 0 && took > limit {
					late++
					t.Errorf("trial %d, fault %d: seen after %s", n, n%faults, took)
				}
			}
			v.wantNoneStale()
			t.Logf("%d trials: seen after %s, at most %s; late: %d", trials, sum/time.Duration(trials), worst, late)
		})
	}
}

// wantNoneStale checks that an audit of Varnish, and one of each instance, finds no stale answer.
func (v *behindVarnish) wantNoneStale() {
	v.Helper()
	for _, url := range v.everywhere() {
		processtest.Eventually(v.T, "answers of "+url+" are audited", func() bool {
			r := v.audit(url)
			if r.Stale > 0 {
				v.Errorf("%s serves stale answers: %+v", url, r.Findings)
			}
			return r.Audited > 20
		})
	}
}
