package redisstore

import (
	"testing"

	"github.com/calfacade/calfacade/cache/redisstore/redistest"
)

// testCheck: a Redis that is configured as documented has no problems.
func testCheck(t *testing.T, o Options, run redistest.Topology) {
	r := open(t, o)
	servers, err := r.Check(background)
	must(t, err)
	if len(servers) != len(run.Masters) {
		t.Errorf("%+v", servers)
	}
	for _, s := range servers {
		if s.Version == "" || s.Policy != "noeviction" || s.RoundTrip <= 0 || s.Err != nil {
			t.Errorf("%+v", s)
		}
	}
	if s := r.Stats(); s.Trips+s.Gets > 0 {
		t.Errorf("it counts as traffic: %+v", s)
	}
}
