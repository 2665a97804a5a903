//go:build !race

package fronts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// behindVarnish are two instances with one Redis, before the stand-in, and a real Varnish in front
// of both.
type behindVarnish struct {
	*testing.T
	setup     frontSetup
	binary    string
	redis     *processtest.RedisServer
	legacy    string       // URL of the site
	venue     string       // id of the venue that is edited
	version   int          // of the last edit
	settled   atomic.Int64 // the version that every client gets
	front     string       // URL of Varnish
	addresses [2]struct{ public, admin string }
	files     [2]string // configurations
	instances [2]*processtest.Program
}

// frontSetup is a setup with at most one part missing.
type frontSetup struct {
	kind     string // type of the target: varnish or varnish-ban
	noPlugin bool   // the site sends no purges
	noLog    bool   // the instances do not read the same purge log
	noOnward bool   // Varnish gets no purges
	noKeys   bool   // Varnish removes the keys of responses before it stores them
}

func newBehindVarnish(t *testing.T, setup frontSetup) *behindVarnish {
	t.Helper()
	site := sim.New(sim.Options{Clock: processtest.Noon})
	v := &behindVarnish{T: t, setup: setup, binary: processtest.Build(t), redis: processtest.NewRedisServer(t), legacy: processtest.Serve(t, site)}
	v.venue = firstVenue(t, site)
	for i := range v.addresses {
		v.addresses[i].public = processtest.FreeAddress(t)
		v.addresses[i].admin = processtest.FreeAddress(t)
	}
	v.front = v.startVarnish()
	for i := range v.addresses {
		v.files[i] = filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(v.files[i], []byte(v.config(i)), 0o600); err != nil {
			t.Fatal(err)
		}
		v.begin(i)
	}
	v.ready()
	v.edit(0, false)
	processtest.Eventually(t, "Varnish reaches the instances", func() bool { return v.versionAt(v.front) == v.version })
	return v
}

// firstVenue returns the id of the first venue that has a name: the stand-in has one without.
func firstVenue(t *testing.T, site http.Handler) string {
	t.Helper()
	got := httptest.NewRecorder()
	site.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/wp-json/tribe/events/v1/venues", nil))
	m := regexp.MustCompile(`"id":(\d+),[^{}]*"venue":"`).FindSubmatch(got.Body.Bytes())
	if m == nil {
		t.Fatalf("no venue: %s", got.Body)
	}
	return string(m[1])
}

func (v *behindVarnish) config(i int) string {
	prefix := "one"
	purge := fmt.Sprintf("{name: front, type: %s, url: '%s'}", v.setup.kind, v.front)
	if v.setup.noLog {
		prefix = fmt.Sprint("of", i)
	}
	if v.setup.noOnward {
		purge = ""
	}
	return fmt.Sprintf(`listen: %s
admin_listen: %s
public_url: https://api.example.org
languages: [{code: en, root: /wp-json, upstream: "%s/wp-json"}]
updates: as_is
admin: {token: %s}
cache: {redis: '%s', redis_timeout: 5s, prefix: %s, ttl: {venues: 1h}, without_redis: fetch}
edge: {tags: xkey, purge: [%s]}
shutdown_timeout: 2s
`, v.addresses[i].public, v.addresses[i].admin, v.legacy, processtest.PurgeToken, v.redis.URL(), prefix, purge)
}

// startVarnish starts Varnish with the shipped file, and a second instance. If the selected one does not
// answer it tries both, and it stores no error of its own.
func (v *behindVarnish) startVarnish() string {
	v.Helper()
	program := processtest.FrontServer{Program: "varnishd"}.Find(v.T)
	file := map[string]string{"varnish": "default", "varnish-ban": "ban"}[v.setup.kind]
	shipped := processtest.ReadFile(v.T, processtest.Repository+"/docs/deploy/varnish/"+file+".vcl")
	vcl := strings.Replace(shipped, `"8080"`, `"`+portOf(v.addresses[0].public)+`"`, 1) + fmt.Sprintf(`
import directors;
backend two { .host = "127.0.0.1"; .port = "%s"; }
sub vcl_init { new api = directors.round_robin(); api.add_backend(default); api.add_backend(two); }
sub vcl_backend_fetch {
  set bereq.backend = api.backend();
  if (bereq.retries == 1) { set bereq.backend = default; }
  if (bereq.retries == 2) { set bereq.backend = two; }
}
sub vcl_backend_error { if (bereq.retries < 2) { return (retry); } set beresp.ttl = 0s; }
`, portOf(v.addresses[1].public))
	if v.setup.noKeys {
		vcl += "sub vcl_backend_response { unset beresp.http.xkey; }\n"
	}
	return startCaching(v.T, vcl, func(file, dir, address string) *exec.Cmd {
		return exec.Command(program, "-F", "-j", "none", "-a", address, "-f", file, "-n", filepath.Join(dir, "work"), "-s", "malloc,16m")
	})
}

func (v *behindVarnish) begin(i int) {
	v.Helper()
	v.instances[i] = processtest.Start(v.T, v.binary, "serve", "--config", v.files[i])
	v.instances[i].Expect(`"msg":"serving"`)
}

func (v *behindVarnish) metrics(i int) string {
	return processtest.Serving{Program: v.instances[i], Base: "", Admin: "http://" + v.addresses[i].admin}.Metrics()
}

// ready waits until both instances use Redis, and Varnish has been sent all that waits.
func (v *behindVarnish) ready() {
	v.Helper()
	want := []string{"calfacade_redis_up 1\n", `calfacade_onward_lag_seconds{target="front"} 0`}
	if v.setup.noOnward {
		want = want[:1]
	}
	for i := range v.instances {
		processtest.Eventually(v.T, "both instances follow the log", func() bool {
			m := v.metrics(i)
			return !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(m, line) })
		})
	}
}

// instance returns the URL of an instance.
func (v *behindVarnish) instance(i int) string { return "http://" + v.addresses[i].public }

// everywhere returns the URLs of Varnish and of both instances.
func (v *behindVarnish) everywhere() []string { return []string{v.front, v.instance(0), v.instance(1)} }

// audit compares the responses of Varnish or an instance with the site, as an operator does.
func (v *behindVarnish) audit(url string) (r survey.AuditResult) {
	v.Helper()
	c := exec.CommandContext(v.Context(), v.binary, "audit", "--config", v.files[0], "--url", url, "--rate", "0", "--sample",
		"10000", "--wait", "5s", "--json")
	c.Env = []string{"HOME=" + v.TempDir()} // as that of the instances
	out, err := c.Output()
	if json.Unmarshal(out, &r) != nil || r.Failed > 0 || !bytes.Contains(out, []byte(`"error": ""`)) && r.NotCached == 0 {
		v.Fatalf("%v %s", err, out)
	}
	return r
}

// versionAt returns the version that a client gets of Varnish or of an instance; 0 without a version.
func (v *behindVarnish) versionAt(base string) (n int) {
	v.Helper()
	n, err := v.versionOf(base)
	if err != nil {
		v.Fatal(err)
	}
	return n
}

func (v *behindVarnish) versionOf(base string) (n int, err error) {
	res, err := http.Get(base + processtest.Neutral + "/venues/" + v.venue)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if m := processtest.VersionPattern.FindSubmatch(body); m != nil {
		n, _ = strconv.Atoi(string(m[1]))
	}
	return n, err
}

// edit makes a new version, by a write through an instance, or in wp-admin, so that the site sends
// a purge to the instance.
func (v *behindVarnish) edit(instance int, inAdmin bool) {
	v.Helper()
	v.version++
	base := v.instance(instance) + processtest.Neutral
	if inAdmin {
		base = v.legacy + "/wp-json/tribe/events/v1"
	}
	v.post(base+"/venues/"+v.venue, fmt.Sprintf(`{"venue":"version %d"}`, v.version), func(r *http.Request) {
		r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
	})
	if inAdmin && !v.setup.noPlugin {
		v.post("http://"+v.addresses[instance].admin+"/purge", fmt.Sprintf(`{"type":"venue","id":%s}`, v.venue), func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+processtest.PurgeToken)
		})
	}
}

func (v *behindVarnish) post(url, body string, authorize func(*http.Request)) {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	authorize(r)
	if got := <-processtest.Begun(r); got.Err != nil || got.Status != http.StatusOK {
		v.Fatalf("POST %s: %+v", url, got)
	}
}

// readVenue checks that a client does not get a version before the one that every client gets.
func (v *behindVarnish) readVenue(base string) {
	settled := v.settled.Load()
	if n, err := v.versionOf(base); err == nil && n > 0 && int64(n) < settled {
		v.Errorf("%s serves version %d after %d", base, n, settled)
	}
}

// load reads through Varnish and from both instances until stop is called.
func (v *behindVarnish) load() (stop func()) {
	done := make(chan struct{})
	var readers sync.WaitGroup
	for _, base := range append(v.everywhere(), v.front) {
		readers.Go(func() {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
					v.readVenue(base)
				}
			}
		})
	}
	return func() { close(done); readers.Wait() }
}
