package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/proxy/staging"
)

// stagedState is what /staging returns, as far as a test reads it.
type stagedState struct {
	staging.Snapshot
	Version uint64
}

// TestKilledWithinStage kills the instance that carries out a change while it waits for the other
// one, which hangs. The change stands: the other one follows it, and so does the first one when it is
// back; it is in the log once; and a retry on the version before is refused. Without Redis an
// instance then refuses writes once its lease is over.
func TestKilledWithinStage(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	m := startMoving(t, build(t), "[{state: shadow}], write_lease: 10s", []string{"legacy", "candidate"}, false)
	var before stagedState
	m.a.eventually("the decisions of the configuration are adopted", func() bool {
		before = m.staged(m.a)
		return before.Version > 0 && len(before.History) > 0
	})
	m.b.signal(syscall.SIGSTOP)
	change := m.stage(m.a, before.Version)
	m.a.eventually("the change is made", func() bool { return m.staged(m.a).Version > before.Version })
	for range 20 { // the response would be there by then
		m.staged(m.a)
	}
	select {
	case got := <-change:
		t.Fatalf("it did not wait for the other instance: %+v", got)
	default:
	}
	m.kill("instance")
	if got := <-change; got.err == nil {
		t.Errorf("the change was answered: %+v", got)
	}
	m.b.signal(syscall.SIGCONT)
	m.serves = []string{"candidate"}
	m.b.eventually("the other instance follows", func() bool { return m.staged(m.b).Version == before.Version+1 })
	if got := <-m.write(m.b, "first"); got.status != http.StatusOK || m.sites["candidate"].count("first") != 1 {
		t.Errorf("a write: %+v", got)
	}
	if got := <-m.stage(m.b, before.Version); got.status != http.StatusConflict || !strings.Contains(got.body, `"code":"changed"`) {
		t.Errorf("the retry: %+v", got)
	}
	m.back("instance")
	for _, s := range []serving{m.a, m.b} {
		now := m.staged(s)
		var by []string
		for _, c := range now.History {
			by = append(by, c.Who)
		}
		if now.Version != before.Version+1 || !slices.Equal(by, []string{"anna", staging.ByConfiguration}) {
			t.Errorf("version %d, changes by %s; want version %d by anna after that of the configuration", now.Version, by, before.Version+1)
		}
	}
	m.outliveLease()
}

// outliveLease kills Redis for longer than staging.write_lease. Then others may have decided where
// writes go, and no site gets one.
func (m *moving) outliveLease() {
	m.Helper()
	m.redis.kill()
	m.b.eventually("the lease is over", func() bool { return strings.Contains(m.b.metrics(), "calfacade_decisions_known 0\n") })
	before := m.sites["legacy"].count("third") + m.sites["candidate"].count("third")
	got := <-m.write(m.b, "third")
	if after := m.sites["legacy"].count("third") + m.sites["candidate"].count("third"); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"code":"calendar_read_only"`) || after != before {
		m.Errorf("a write when the lease is over: %+v, carried out %d times", got, after-before)
	}
}

// staged reads the decisions at an instance.
func (m *moving) staged(s serving) (now stagedState) {
	m.Helper()
	_, body := send(m.T, m.adminRequest(s, http.MethodGet, ""))
	if err := json.Unmarshal(body, &now); err != nil {
		m.Fatalf("%v: %s", err, body)
	}
	return now
}

// stage begins to move all clients, unless the version is another one.
func (m *moving) stage(s serving, version uint64) <-chan outcome {
	m.Helper()
	body, err := json.Marshal(map[string]any{"state": staging.New, "who": "anna", "version": version})
	if err != nil {
		m.Fatal(err)
	}
	return begun(m.adminRequest(s, http.MethodPost, string(body)))
}

func (m *moving) adminRequest(s serving, method, body string) *http.Request {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), method, s.admin+"/staging", strings.NewReader(body))
	if err != nil {
		m.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Content-Type", "application/json")
	return r
}
