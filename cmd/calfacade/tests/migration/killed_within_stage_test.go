//go:build !race

package migration_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/staging"
)

// stagedState has the members of /staging that a test reads.
type stagedState struct {
	staging.Snapshot
	Version uint64
}

// TestKilledWithinStage kills the instance that has made a change, at once, while the other one hangs.
// The change stands: it was answered without the other one, which follows it in its next request, and
// so does the first one when it is back; it is in the log once; and a retry on the version before is
// refused. Without Redis an instance then refuses writes.
func TestKilledWithinStage(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	m := startMoving(t, processtest.Build(t), "[{state: shadow}]", []string{"legacy", "candidate"}, false)
	var previous stagedState
	m.a.Eventually("the decisions of the configuration are adopted", func() bool {
		previous = m.staged(m.a)
		return previous.Version > 0 && len(previous.History) > 0
	})
	m.b.Signal(syscall.SIGSTOP)
	if got := <-m.stage(m.a, previous.Version); got.Status != http.StatusOK {
		t.Errorf("the change: %+v", got)
	}
	m.kill("instance")
	m.serves = []string{"candidate"}
	m.b.Signal(syscall.SIGCONT)
	if got := <-m.write(m.b, "first"); got.Status != http.StatusOK || m.sites["candidate"].count("first") != 1 {
		t.Errorf("a write: %+v", got)
	}
	if got := <-m.stage(m.b, previous.Version); got.Status != http.StatusConflict || !strings.Contains(got.Body, `"code":"changed"`) {
		t.Errorf("the retry: %+v", got)
	}
	m.back("instance")
	for _, s := range []processtest.Serving{m.a, m.b} {
		now := m.staged(s)
		var names []string
		for _, c := range now.History {
			names = append(names, c.Who)
		}
		if now.Version != previous.Version+1 || !slices.Equal(names, []string{"anna", staging.ByConfiguration}) {
			t.Errorf("version %d, changes by %s; want version %d by anna after that of the configuration", now.Version, names,
				previous.Version+1)
		}
	}
	m.loseRedis()
}

// loseRedis kills Redis. Then others may have decided where writes go, and no site gets one.
func (m *moving) loseRedis() {
	m.Helper()
	m.redis.Kill()
	calls := m.sites["legacy"].count("third") + m.sites["candidate"].count("third")
	got := <-m.write(m.b, "third")
	total := m.sites["legacy"].count("third") +
		m.sites["candidate"].count("third")
	if got.Status != http.StatusServiceUnavailable ||
		!strings.Contains(got.Body, `"code":"calendar_read_only"`) || total != calls {
		m.Errorf("a write without Redis: %+v, carried out %d times", got, total-calls)
	}
	m.b.Eventually("the metric says so", func() bool { return strings.Contains(m.b.Metrics(), "calfacade_decisions_known 0\n") })
}

// staged reads the decisions at an instance.
func (m *moving) staged(s processtest.Serving) (now stagedState) {
	m.Helper()
	_, body := processtest.Send(m.T, m.adminRequest(s, http.MethodGet, ""))
	if err := json.Unmarshal(body, &now); err != nil {
		m.Fatalf("%v: %s", err, body)
	}
	return now
}

// stage begins to move all clients, unless the version is another one.
func (m *moving) stage(s processtest.Serving, version uint64) <-chan processtest.Outcome {
	m.Helper()
	body, err := json.Marshal(map[string]any{"state": staging.New, "who": "anna", "version": version})
	if err != nil {
		m.Fatal(err)
	}
	return processtest.Begun(m.adminRequest(s, http.MethodPost, string(body)))
}

func (m *moving) adminRequest(s processtest.Serving, method, body string) *http.Request {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), method, s.Admin+"/staging", strings.NewReader(body))
	if err != nil {
		m.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+processtest.TestToken)
	r.Header.Set("Content-Type", "application/json")
	return r
}
