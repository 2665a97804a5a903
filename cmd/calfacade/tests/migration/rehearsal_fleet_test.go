//go:build !race

package migration_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/mapping/tribe"
	"github.com/calfacade/calfacade/proxy/staging"
)

// movingFleet has the events between the steps of a rehearsal: a second instance joins, and
// instances and Redis are killed, while clients read and write.
type movingFleet struct {
	*rehearsal
	redis    *processtest.RedisServer
	visitors *visitors
	venues   int // venues
}

// visit lets clients read from now on.
func (m *movingFleet) visit(processtest.MigrationStep) { m.visitors = newVisitors(m.instance) }

// grow gives the facade a Redis and a second instance.
func (m *movingFleet) grow(processtest.MigrationStep) {
	m.redis = processtest.NewRedisServer(m.T)
	cache := m.config["cache"].(map[string]any)
	// An instance that gets no answer from Redis within this time serves entries that others have purged,
	// and changes nothing.
	cache["redis"] = m.redis.URL()
	cache["redis_timeout"] = "5s"
	m.second = newInstance(m.T, m.binary, m.dir, m.sites...)
	m.save()
	m.stop()
	m.serve("calfacade serve --config config.yaml")
	m.serveSecond()
	m.visitors.join(m.second)
}

func (m *movingFleet) serveSecond() {
	m.Helper()
	m.second.serve("calfacade serve --config second.yaml")
}

// killSecond kills the second instance, and repeats the last command of the step without it. A
// change does not wait for it.
func (m *movingFleet) killSecond(s processtest.MigrationStep) {
	m.Helper()
	m.second.process.Kill()
	m.run(processtest.StatusOK, s.Commands[len(s.Commands)-1])
	m.serveSecond()
}

// killSecondAndWrite also writes when it is back.
func (m *movingFleet) killSecondAndWrite(s processtest.MigrationStep) {
	m.Helper()
	m.killSecond(s)
	m.write(s)
}

// killRedis kills Redis, which forgets everything. The instances know the decisions.
func (m *movingFleet) killRedis(s processtest.MigrationStep) {
	m.Helper()
	old := settings(m.snapshot())
	m.redis.Kill()
	m.redis.Start()
	for _, i := range m.instances() {
		i.until("decisions are as before", func(now staging.Snapshot) bool {
			return slices.Equal(settings(now), old) && i.serving().Value("calfacade_redis_up") == "1"
		})
	}
	m.write(s)
}

// back changes to the legacy, for all, and to the new site again. A write goes where the last
// change says, at once, through each instance.
func (m *movingFleet) back(s processtest.MigrationStep) {
	m.Helper()
	m.write(s)
	m.run(processtest.StatusOK, "calfacade stage --config config.yaml --to legacy --who anna")
	m.write(s)
	m.run(processtest.StatusOK, s.Commands[len(s.Commands)-1])
	m.write(s)
}

func (m *movingFleet) instances() []*instance { return []*instance{m.instance, m.second} }

// check wants the same decisions at both instances, and right responses from both.
func (m *movingFleet) check() {
	m.Helper()
	if m.second != nil && m.config["staging"] != nil && m.config["staging"].(map[string]any)["candidate"] != "" {
		m.second.until("both instances go by the same decisions", func(s staging.Snapshot) bool {
			return slices.Equal(settings(s), settings(m.snapshot()))
		})
	}
	m.visitors.round()
}

func settings(s staging.Snapshot) (lines []string) {
	for _, c := range s.Cells {
		lines = append(lines, c.Cell.String()+": "+c.Setting.String())
	}
	return lines
}

// write creates a venue at each instance, once in the neutral names and once in the legacy's. The
// other instance shows it in the other names at once, and one site has it, once.
func (m *movingFleet) write(processtest.MigrationStep) {
	m.Helper()
	backend := "candidate"
	if cells := m.config["backends"]; cells == nil || len(cells.([]any)) > 0 &&
		m.status(staging.Cell{Op: staging.Write, Resource: "venues", Language: "en"}).State != staging.New {
		backend = "legacy"
	}
	names := []string{mapping.Namespace, tribe.Dialect.Namespace}
	for i, author := range m.instances() {
		m.venues++
		name := fmt.Sprintf("Rehearsal hall %d", m.venues)
		viewer := m.instances()[1-i]
		processtest.Eventually(m.T, "the other instance has cached that it is not there", func() bool {
			return countVenues(m.get(viewer, searchFor(names[1-i], name)), name) == 0 && m.cached(viewer, searchFor(names[1-i], name))
		})
		processtest.Eventually(m.T, "a write is not refused by the circuit breaker", func() bool { return m.create(author, names[i], name) })
		body := m.get(viewer, searchFor(names[1-i], name))
		if n := countVenues(body, name); n != 1 {
			m.Errorf("%q is %d times in what the other instance reads: %s", name, n, body)
		}
		m.isAt(backend, name)
	}
}

// cached reports whether an instance serves a path from its cache.
func (m *movingFleet) cached(i *instance, path string) bool {
	m.Helper()
	request, err := http.NewRequestWithContext(m.Context(), http.MethodGet, "http://"+i.Public+path, nil)
	if err != nil {
		m.Fatal(err)
	}
	res, _ := processtest.Send(m.T, request)
	return strings.Contains(res.Header.Get("Cache-Status"), "; hit")
}

// create creates a venue. It reports false if the facade refused it, and nothing was changed.
func (m *movingFleet) create(author *instance, namespace, name string) bool {
	m.Helper()
	request, err := http.NewRequestWithContext(m.Context(), http.MethodPost, "http://"+author.Public+"/wp-json/"+namespace+"/venues",
		strings.NewReader(url.Values{"venue": {name}}.Encode()))
	if err != nil {
		m.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	res, body := processtest.Send(m.T, request)
	if res.StatusCode == http.StatusServiceUnavailable {
		return false
	}
	if res.StatusCode != http.StatusCreated {
		m.Fatalf("a write: got %d %s", res.StatusCode, body)
	}
	return true
}

// get returns the first response that is not a refusal of the circuit breaker, which each instance
// has its own of: a candidate that failed is tried again after some time.
func (m *movingFleet) get(viewer *instance, path string) (body string) {
	m.Helper()
	processtest.Eventually(m.T, "a read is not refused by the circuit breaker", func() bool {
		var status int
		status, body = fetch(m.T, viewer, path)
		return status != http.StatusServiceUnavailable
	})
	return body
}

// isAt wants a venue at one site, once.
func (m *movingFleet) isAt(site, name string) {
	m.Helper()
	for _, s := range []struct {
		name, namespace string
		http.Handler
	}{
		{"legacy", tribe.Dialect.Namespace, m.legacy.Config.Handler},
		{"candidate", mapping.Namespace, m.candidate},
	} {
		direct := httptest.NewRecorder()
		s.ServeHTTP(direct, httptest.NewRequest(http.MethodGet, searchFor(s.namespace, name), nil))
		want := 0
		if s.name == site {
			want = 1
		}
		if n := countVenues(direct.Body.String(), name); n != want {
			m.Errorf("%q is %d times at the %s, want %d", name, n, s.name, want)
		}
	}
}

func searchFor(namespace, name string) string {
	return "/wp-json/" + namespace + "/venues?" + url.Values{"search": {name}}.Encode()
}

func countVenues(body, name string) int { return strings.Count(body, `"venue":"`+name+`"`) }
