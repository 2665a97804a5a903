//go:build !race

package migration_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// movingSteps are the configurations of the steps of docs/migration.md, and the sites that may
// serve and be written to in each. Step 2 also records.
var movingSteps = []struct {
	name, staging string
	serves        []string
}{
	{"1 front", "", []string{"legacy"}},
	{"2 record", "", []string{"legacy"}},
	{"3 name", "[]", []string{"legacy"}},
	{"4 compare", "[{state: legacy}]", []string{"legacy"}},
	{"5 shadow", "[{state: shadow}]", []string{"legacy"}},
	{"6 canary", "[{state: canary, percent: 50}]", []string{"legacy", "candidate"}},
	{"7 everybody", "[{state: new}]", []string{"candidate"}},
	{"8 switch off", "off", []string{"candidate"}},
}

// TestKilledWhileMoving kills an instance, Redis or a site during a write, in each step of the
// migration: no write reaches a site twice, no write that was answered with success is missing, and
// once all are back, responses show the state of a site of the step.
func TestKilledWhileMoving(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	binary := processtest.Build(t)
	for _, step := range movingSteps {
		for _, victim := range []string{"instance", "redis", "legacy", "candidate"} {
			t.Run(step.name+"/"+victim, func(t *testing.T) {
				t.Parallel()
				m := startMoving(t, binary, step.staging, step.serves, strings.Contains(step.name, "record"))
				m.killDuringWrite(victim)
				m.back(victim)
			})
		}
	}
}

// moving is two instances on one Redis before two sites.
type moving struct {
	*testing.T
	sites   map[string]*movingSite
	serves  []string
	a, b    processtest.Serving
	config  string
	records bool
	redis   *processtest.RedisServer
}

func startMoving(t *testing.T, binary, rules string, serves []string, records bool) *moving {
	t.Helper()
	m := &moving{T: t, serves: serves, records: records, sites: map[string]*movingSite{}, redis: processtest.NewRedisServer(t)}
	for _, name := range []string{"legacy", "candidate"} {
		m.sites[name] = &movingSite{name: name, arrived: make(chan struct{}, 10), writes: map[string]int{}}
		m.sites[name].url = processtest.Serve(t, m.sites[name])
	}
	config := "updates: as_is\nadmin: {token: " + processtest.TestToken + "}\ncache: {redis: '" + m.redis.URL() +
		"', redis_timeout: 5s, ttl: {venues: 1h}}\nshutdown_timeout: 2s\n"
	legacy := m.sites["legacy"].url
	switch rules {
	case "":
	case "off":
		legacy = m.sites["candidate"].url
	default:
		config += "staging: {candidate: next, rules: " + rules + "}\n" +
			"backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: '" + m.sites["candidate"].url + "/wp-json'}}]\n"
	}
	m.config = processtest.WriteConfig(t, legacy, config)
	m.a, m.b = m.instance(binary), m.instance(binary)
	return m
}

func (m *moving) instance(binary string) processtest.Serving {
	m.Helper()
	if m.records {
		return processtest.StartServing(m.T, binary, "record", "--config", m.config, "--out", filepath.Join(m.TempDir(), "recording"))
	}
	return processtest.StartServing(m.T, binary, "serve", "--config", m.config)
}

// killDuringWrite kills while a site holds a write of the first instance, which it has carried
// out, and then writes at the second.
func (m *moving) killDuringWrite(victim string) {
	m.Helper()
	for _, s := range []processtest.Serving{m.a, m.b} {
		m.readEvent(s)
	}
	release := make(chan struct{})
	for _, s := range m.sites {
		s.hold(release)
	}
	first := m.write(m.a, "first")
	select {
	case <-m.sites["legacy"].arrived:
	case <-m.sites["candidate"].arrived:
	}
	m.kill(victim)
	for _, s := range m.sites {
		s.hold(nil)
	}
	close(release)
	m.check("first", <-first)
	m.check("second", <-m.write(m.b, "second"))
}

func (m *moving) kill(victim string) {
	m.Helper()
	switch victim {
	case "instance":
		m.a.Signal(syscall.SIGKILL)
		<-m.a.Ended
	case "redis":
		m.redis.Kill()
	default:
		m.sites[victim].setDown(true)
	}
}

// back starts the process that was killed, and reads at both instances until they show the last write.
func (m *moving) back(victim string) {
	m.Helper()
	switch victim {
	case "instance":
		m.a = m.instance(m.a.Cmd.Path)
		m.a.Eventually("it knows the decisions", func() bool { return !strings.Contains(m.a.Metrics(), "calfacade_decisions_known 0\n") })
	case "redis":
		m.redis.Start()
	default:
		m.sites[victim].setDown(false)
	}
	for _, s := range []processtest.Serving{m.a, m.b} {
		s.Eventually("a site of the step is served as it is", func() bool { return slices.Contains(m.current(), m.readEvent(s)) })
	}
	m.check("third", <-m.write(m.b, "third"))
	for _, s := range []processtest.Serving{m.a, m.b} {
		s.Eventually("the last write is seen", func() bool { return slices.Contains(m.current(), m.readEvent(s)) })
	}
}

// current returns the bodies that the sites of the step serve now.
func (m *moving) current() (states []string) {
	for _, name := range m.serves {
		states = append(states, m.sites[name].body())
	}
	return states
}

// readEvent returns the body of a venue. It may come from no other site than the sites of the step.
func (m *moving) readEvent(s processtest.Serving) string {
	m.Helper()
	got := <-s.Begin("/venues/12")
	if got.Err != nil || got.Status != http.StatusOK {
		return fmt.Sprint(got.Status, got.Err)
	}
	if !slices.ContainsFunc(m.serves, func(name string) bool { return strings.Contains(got.Body, `"`+name+" ") }) {
		m.Errorf("read %s, want one of %s", got.Body, m.serves)
	}
	return proxytest.Unmarked(got.Body)
}

func (m *moving) write(s processtest.Serving, name string) <-chan processtest.Outcome {
	m.Helper()
	r, err := http.NewRequestWithContext(m.Context(), http.MethodPost, s.Base+"/venues/12", strings.NewReader("venue="+name))
	if err != nil {
		m.Fatal(err)
	}
	r.SetBasicAuth("editor", "secret")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return processtest.Begun(r)
}

// check compares how often the sites carried out a write with its response.
func (m *moving) check(name string, got processtest.Outcome) {
	m.Helper()
	done := 0
	for site, s := range m.sites {
		n := s.count(name)
		if n > 0 && !slices.Contains(m.serves, site) {
			m.Errorf("write %q reached the %s", name, site)
		}
		done += n
	}
	success := got.Err == nil && got.Status < http.StatusMultipleChoices
	if done > 1 || success && done != 1 {
		m.Errorf("write %q was carried out %d times and answered with %+v", name, done, got)
	}
	if !success && done == 1 && got.Err == nil && got.Status != http.StatusGatewayTimeout {
		m.Errorf("write %q was carried out and answered with %+v", name, got)
	}
}

// writeName finds the name of a write in its body.
var writeName = regexp.MustCompile(`first|second|third`)

// movingSite is a site with one venue; its name counts the writes.
type movingSite struct {
	name, url string
	arrived   chan struct{} // gets one for each write that was carried out while it is held

	mu     sync.Mutex
	writes map[string]int // by the value written
	total  int
	gate   <-chan struct{} // if not nil, responses to writes wait for it
	down   bool
}

func (s *movingSite) hold(gate <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = gate
}

func (s *movingSite) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *movingSite) isDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

func (s *movingSite) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes[name]
}

func (s *movingSite) body() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf(`{"id":12,"venue":"%s %d"}`, s.name, s.total)
}

// ServeHTTP implements [http.Handler]. A site that is down closes the connection.
func (s *movingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.isDown() {
		panic(http.ErrAbortHandler)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		body, _ := io.ReadAll(r.Body) // a body that was cut off has no name
		name := writeName.FindString(string(body))
		s.mu.Lock()
		s.writes[name]++
		s.total++
		gate := s.gate
		s.mu.Unlock()
		if gate != nil {
			s.arrived <- struct{}{}
			<-gate
		}
		if s.isDown() {
			panic(http.ErrAbortHandler)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	proxytest.WriteItem(w, "%s", s.body())
}
