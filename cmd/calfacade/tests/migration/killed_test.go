//go:build !race

package migration_test

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/proxy/proxytest"
	"github.com/calfacade/calfacade/proxy/recording"
)

// notingSite is a site that notes the requests, and calls reached before it answers one of them.
type notingSite struct {
	http.Handler
	limit   int
	reached func()

	mu    sync.Mutex
	n     int
	paths map[string]bool // paths and queries
}

// ServeHTTP implements [http.Handler].
func (s *notingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.note(r.URL.RequestURI()) {
		s.reached()
	}
	s.Handler.ServeHTTP(w, r)
}

func (s *notingSite) note(uri string) (reached bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[uri] = true
	s.n++
	return s.n == s.limit
}

// reset begins to count again, and returns the count.
func (s *notingSite) reset(limit int) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = s.n
	s.n = 0
	s.limit = limit
	return n
}

// newKilled returns a rehearsal, and its legacy site with so many events. A process is killed
// with kill -9 when it, or warm through it, has made n calls of the site.
func newKilled(t *testing.T, binary string, events, n int) (*rehearsal, *notingSite, func(*processtest.Program)) {
	r := newRehearsal(t, binary)
	reached := make(chan struct{})
	killed := make(chan struct{})
	over := sync.OnceFunc(func() { close(killed) })
	t.Cleanup(over)
	site := &notingSite{Handler: sim.New(sim.Options{Clock: processtest.Noon, Events: events}), limit: n,
		reached: func() { close(reached); <-killed }, paths: map[string]bool{}}
	r.legacy.Config.Handler = site
	return r, site, func(p *processtest.Program) {
		t.Helper()
		select {
		case <-reached: // for all processes
		case <-p.Ended:
			t.Fatal("the process ended too early")
		}
		p.Kill()
		over()
	}
}

// TestKilledRecord kills a recording in the middle, and the command that fills it. The same commands, again, record the rest,
// and nothing is missing in the end.
func TestKilledRecord(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	const warm = "calfacade warm --config config.yaml --languages en --rate 0"
	const record = "calfacade record --config config.yaml --out recording"
	r, site, kill := newKilled(t, binary, 800, 400)
	r.serve(record)
	warming := processtest.StartCommand(t, r.command(warm))
	kill(r.process)
	kill(warming)
	r.serve(record)
	r.run(processtest.StatusOK, warm)
	r.stop()
	replay, err := recording.OpenReplay(filepath.Join(r.dir, "recording"), nil)
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for uri := range site.paths {
		res, err := replay.Wrap(nil).RoundTrip(proxytest.NewRequest(t, http.MethodGet, r.legacy.URL+uri, ""))
		if err != nil {
			missing++
			t.Logf("%s: %v", uri, err)
			continue
		}
		res.Body.Close()
	}
	if missing > 0 || len(site.paths) < 500 {
		t.Errorf("%d of %d calls are not recorded", missing, len(site.paths))
	}
}

// TestKilledDiff kills a comparison in the middle. The same command finds all differences, and
// does not call the site for items that were compared before.
func TestKilledDiff(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	const diff = "calfacade diff --config config.yaml --candidate new --out report --rate 0"
	r, site, kill := newKilled(t, binary, 200, 500)
	site.Handler = seeded(nil)
	flawed := seeded(sim.SomePlants(60, 1))
	r.candidate.becomes(flawed)
	r.add(processtest.StepsOf(t, processtest.ReadFile(t, processtest.MigrationFile))[2].Config)
	kill(processtest.StartCommand(t, r.command(diff)))
	site.reset(0)
	r.run(processtest.StatusFail, diff)
	if diff := cmp.Diff(processtest.CausesOfPlants(flawed.Plants()), processtest.CausesOf(r.report())); diff != "" {
		t.Errorf("findings (-planted +found):\n%s", diff)
	}
	if again, total := site.reset(0), len(site.paths); again > total-300 { // lists are read again
		t.Errorf("%d calls of the site after 500 of some %d", again, total)
	}
}
