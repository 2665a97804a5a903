//go:build !race

package migration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// auditTest is an instance, with a configuration for which "calfacade audit" runs. The names of venues
// begin with a word at each site. The candidate has two of the four languages.
type auditTest struct {
	*testing.T
	file         string
	legacy, next *auditedSite
	service      *service.Service
	config       config.Config // of the service
	public       string
}

const auditSecret = "opensesame-opensesame"

func newAuditTest(t *testing.T, extra string) *auditTest {
	t.Helper()
	a := &auditTest{T: t, legacy: newAuditedSite(t, "Legacy "), next: newAuditedSite(t, "Next "),
		file: filepath.Join(t.TempDir(), "config.yaml")}
	public := httptest.NewUnstartedServer(nil)
	adminServer := httptest.NewUnstartedServer(nil)
	a.public = "http://" + public.Listener.Addr().String()
	doc := fmt.Sprintf("listen: %s\nadmin_listen: %s\npublic_url: %s\ncache: {zone: UTC, ttl: {errors: 1h, events: 1h, venues: 1h, "+
		"organizers: 1h, categories: 1h, tags: 1h}}\nupstream: {basic_auth: \"u:%s\"}\n%s\nlanguages:\n",
		public.Listener.Addr(), adminServer.Listener.Addr(), a.public, auditSecret, strings.ReplaceAll(extra, "NEXT", a.next.url))
	for _, l := range config.Demo("", a.legacy.url).Languages {
		doc += fmt.Sprintf("  - {code: %s, root: %s, upstream: %q}\n", l.Code, l.Root, l.Upstream)
	}
	a.write(doc)
	var err error
	if a.config, err = config.Parse(a.file, []byte(doc), nil); err != nil {
		t.Fatal(err)
	}
	a.service = servicetest.New(t, &a.config)
	public.Config.Handler = http.HandlerFunc(a.service.Public)
	adminServer.Config.Handler = http.HandlerFunc(a.service.Admin)
	for _, s := range []*httptest.Server{public, adminServer} {
		s.Start()
		t.Cleanup(s.Close)
	}
	return a
}

func (a *auditTest) write(doc string) {
	a.Helper()
	if err := os.WriteFile(a.file, []byte(doc), 0o600); err != nil {
		a.Fatal(err)
	}
}

// run runs the command for all that two pages of each list show.
func (a *auditTest) run(args string) (status int, r survey.AuditResult, out string) {
	a.Helper()
	var stdout, stderr bytes.Buffer
	status = processtest.RunCommand(a.Context(), a.T, strings.Fields("audit --config "+a.file+" --rate 0 --sample 10000 --wait 0s "+args), nil, nil,
		&stdout, &stderr)
	out = stdout.String() + stderr.String()
	if strings.Contains(args, "--json") {
		if json.Unmarshal(stdout.Bytes(), &r) != nil {
			a.Fatal(out)
		}
		processtest.CheckLeaks(a.T, nil, stdout.Bytes(), a.legacy.url)
	} else if processtest.Mentions(out) {
		a.Errorf("leak: %s", out)
	}
	for _, secret := range []string{auditSecret, processtest.TestToken} {
		if strings.Contains(out, secret) {
			a.Errorf("%s is in %s", secret, out)
		}
	}
	return status, r, out
}

// auditedSite is a stand-in for a site.
type auditedSite struct {
	url    string
	prefix atomic.Pointer[string] // of the names of venues

	mu    sync.Mutex
	again func() // see onSecondCall; nil: nothing is counted
	calls map[string]int
}

func newAuditedSite(t *testing.T, prefix string) *auditedSite {
	s := new(auditedSite)
	site := sim.New(sim.Options{Clock: processtest.Noon})
	s.prefix.Store(&prefix)
	s.url = processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, _, _ := r.BasicAuth(); name == "u" {
			r.Header.Del("Authorization") // it is of a server in front of WordPress
		}
		got := httptest.NewRecorder()
		site.ServeHTTP(got, r)
		s.count(r.URL.String())
		for _, name := range []string{"Content-Type", "X-Wp-Total", "X-Wp-Totalpages"} {
			w.Header()[name] = got.Header()[name]
		}
		w.WriteHeader(got.Code)
		_, _ = io.WriteString(w, strings.ReplaceAll(got.Body.String(), `"venue":"`, `"venue":"`+*s.prefix.Load()))
	}))
	return s
}

func (s *auditedSite) edit() { s.prefix.Store(new("Edited ")) }

// onSecondCall has f called when a call is made for the second time from now on.
func (s *auditedSite) onSecondCall(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = map[string]int{}
	s.again = f
}

func (s *auditedSite) count(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again == nil {
		return
	}
	s.calls[call]++
	if s.calls[call] == 2 {
		s.again()
	}
}

// TestAudit: an item that the site has changed without a purge is stale, unless a purge comes in time. An answer that is not
// cached proves nothing.
func TestAudit(t *testing.T) {
	t.Parallel()
	a := newAuditTest(t, "admin: {purge_token: "+processtest.TestToken+"}")
	if status, r, out := a.run("--json --languages es"); status != processtest.StatusNoVerdict || r.Audited > 0 || r.NotCached < 20 {
		t.Errorf("nothing is cached: status %d, %s", status, out)
	}
	status, r, out := a.run("--json --languages es")
	if status != processtest.StatusOK || r.Audited < 20 || r.Stale > 0 {
		t.Errorf("all is well: status %d, %s", status, out)
	}
	a.legacy.edit()
	status, r, out = a.run("--json --languages es")
	if status != processtest.StatusFail || r.Stale == 0 || r.Stale == r.Audited || r.Findings[0].Language != "es" || len(r.Findings[0].Differences) == 0 {
		t.Errorf("no purge: status %d, %s", status, out)
	}
	stale := regexp.MustCompile(`(?m)^stale: es /venues/\S+, \d+ s old, Cache-Status: calfacade; hit`)
	if status, _, out := a.run("--languages es"); status != processtest.StatusFail || !stale.MatchString(out) {
		t.Errorf("in words: status %d, %s", status, out)
	}
	a.legacy.onSecondCall(func() {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/purge", strings.NewReader(`{"all":true}`))
		r.Header.Set("Authorization", "Bearer "+processtest.TestToken)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.service.Admin(w, r)
		if w.Code != http.StatusOK {
			t.Errorf("purge: %d %s", w.Code, w.Body)
		}
	})
	if status, r, out := a.run("--json --languages es"); status == processtest.StatusFail || r.Stale > 0 || r.Changed == 0 {
		t.Errorf("a purge comes before the wait is over: status %d, %s", status, out)
	}
}

func TestAuditIsRefused(t *testing.T) {
	for _, args := range []string{"--sample 0", "--wait -1s", "--rate -1", "--languages xx", "--url ftp://a"} {
		var out, errs bytes.Buffer
		status := processtest.RunCommand(t.Context(), t, strings.Fields("audit --config "+processtest.ExampleFile+" "+args), nil, nil, &out, &errs)
		if status != processtest.StatusUsage {
			t.Errorf("%s: status %d, %s%s", args, status, out.Bytes(), errs.Bytes())
		}
	}
}

// TestAuditEvery: /metrics has the result of the last audit, until the command is stopped.
func TestAuditEvery(t *testing.T) {
	t.Parallel()
	a := newAuditTest(t, "")
	address := processtest.FreeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	status := make(chan int)
	args := fmt.Sprintf("audit --config %s --rate 0 --wait 0s --languages es --every 10ms --listen %s", a.file, address)
	go func() {
		status <- processtest.RunCommand(ctx, t, strings.Fields(args), nil, nil, io.Discard, io.Discard)
	}()
	await := func(want string) {
		t.Helper()
		processtest.Eventually(t, want, func() bool {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				return false
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			return err == nil && regexp.MustCompile(want).Match(body)
		})
	}
	await(`(?s)answers{result="same"} [1-9].*answers{result="stale"} 0\n`)
	a.legacy.edit()
	await(`answers{result="stale"} [1-9]`)
	stop()
	if got := <-status; got != processtest.StatusOK {
		t.Errorf("status %d", got)
	}
}
