package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestDemo runs the commands that the demo suggests.
func TestDemo(t *testing.T) {
	t.Parallel()
	binary := build(t)
	p := start(t, binary, "demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	printed := p.expect(`(?s)in memory, at (\S+)\) .*Stop with Ctrl-C`)
	got := captures(regexp.MustCompile(`(?m)^  (curl .*)$`), printed[0])
	want := []struct {
		status int
		body   string
	}{
		{http.StatusOK, `"featured":true`},
		{http.StatusOK, `"venue":"Antigua Lonja"`},
		{http.StatusBadRequest, `"geoloc_lng":{"code":"rest_property_required"`},
		{http.StatusCreated, `"title":"Open day"`},
		{http.StatusMethodNotAllowed, `{"code":"rest_no_route"`},
	}
	if len(got) != len(want) {
		t.Fatalf("%d calls are printed, want %d", len(got), len(want))
	}
	for i, line := range got {
		res, body := send(t, curl(t, line))
		if res.StatusCode != want[i].status || !strings.Contains(string(body), want[i].body) {
			t.Errorf("%s\nstatus %d, want %d and a body with %s: %s", line, res.StatusCode, want[i].status, want[i].body, body)
		}
		checkLeaks(t, res.Header, body, "http://"+printed[1])
	}
	status := p.expect(`(?m)^The status page for operators: (http://\S+)$`)[1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, status, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, body := send(t, r); res.StatusCode != http.StatusOK || !strings.Contains(string(body), "<h2") {
		t.Errorf("%s: %d %.200s", status, res.StatusCode, body)
	}
	first := p.expect(`(?m)^Open (http://\S+) in a browser first: .*\.$`)[1]
	if r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, first, nil); err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if res, body := send(t, r); res.StatusCode != http.StatusOK || !strings.Contains(string(body), `/calendar/events/v1/docs/"`) {
		t.Errorf("%s: %d %.200s", first, res.StatusCode, body)
	}
	if status := p.stop(); status != statusOK {
		t.Errorf("exit status %d after SIGTERM, want %d", status, statusOK)
	}
}

// curl makes the request that a curl line of the demo sends.
func curl(t *testing.T, line string) *http.Request {
	t.Helper()
	var method, target, user string
	var data []string
	args := words(line)[1:]
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; arg {
		case "-s", "-i":
		case "-X", "-u", "-d":
			i++
			switch arg {
			case "-X":
				method = args[i]
			case "-u":
				user = args[i]
			case "-d":
				data = append(data, args[i])
			}
		default:
			target = arg
		}
	}
	if method == "" && data != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(strings.Join(data, "&")))
	if err != nil {
		t.Fatal(err)
	}
	if data != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if name, password, ok := strings.Cut(user, ":"); ok {
		r.SetBasicAuth(name, password)
	}
	return r
}

// words splits a shell's line; single quotes are the only ones it knows.
func words(line string) []string {
	var out []string
	var word strings.Builder
	quoted := false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// slowSite is a legacy site that answers when the test lets it.
type slowSite struct {
	arrived chan struct{} // gets one for each request that has come
	release chan struct{} // is closed to let all answers go
}

func newSlowSite(t *testing.T) (s *slowSite, url string) {
	s = &slowSite{arrived: make(chan struct{}, 10), release: make(chan struct{})}
	return s, processtest.Serve(t, s)
}

// ServeHTTP implements [http.Handler].
func (s *slowSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.arrived <- struct{}{}
	select {
	case <-s.release:
		proxytest.WriteItem(w, `{"id":12,"title":"Slow"}`) // fails only for a client that has disconnected
	case <-r.Context().Done():
	}
}

// serving is a process that serves a configuration.
type serving struct {
	*program
	base  string // of the namespace
	admin string
}

// startServe serves one language from legacy. config are lines of the
// configuration.
func startServe(t *testing.T, binary, legacy, config string) serving {
	t.Helper()
	return startServing(t, binary, "serve", "--config", writeConfig(t, legacy, config))
}

// startServing starts a command that serves a configuration, which is the last of
// args.
func startServing(t *testing.T, binary string, args ...string) serving {
	t.Helper()
	p := start(t, binary, args...)
	admin := p.expect(`"msg":"admin","listen":"([^"]+)"`)
	public := p.expect(`"msg":"serving","listen":"([^"]+)".*"tls":(true|false),"cache_shape":"[0-9a-f]{8}"`)
	scheme := map[string]string{"true": "https", "false": "http"}[public[2]]
	return serving{
		program: p,
		base:    scheme + "://" + public[1] + "/wp-json/calendar/events/v1",
		admin:   "http://" + admin[1],
	}
}

// writeConfig writes a configuration of one language and returns the file.
func writeConfig(t *testing.T, legacy, lines string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	cfg := fmt.Sprintf(`
listen: 127.0.0.1:0
admin_listen: 127.0.0.1:0
public_url: https://api.example.org
languages: [{code: en, root: /wp-json, upstream: "%s/wp-json"}]
%s
`, legacy, lines)
	if err := os.WriteFile(file, []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// outcome is the end of a request that was under way.
type outcome struct {
	status int
	body   string
	err    error
}

// begin sends a GET and does not wait for the answer.
func (s serving) begin(path string) <-chan outcome {
	s.Helper()
	return s.beginAt(s.base + path)
}

func (s serving) beginAt(url string) <-chan outcome {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, url, nil)
	if err != nil {
		s.Fatal(err)
	}
	return begun(r)
}

// begun sends a request and returns its outcome.
func begun(r *http.Request) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		done <- outcome{status: res.StatusCode, body: string(body), err: err}
	}()
	return done
}

func health(s serving, path string) int {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.admin+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	res, _ := send(s.T, r)
	return res.StatusCode
}

// TestDrain sends SIGTERM while a request is under way: it gets its answer, the
// orchestrator learns to send no more, and then the process exits with 0.
func TestDrain(t *testing.T) {
	t.Parallel()
	binary := build(t)
	legacy, url := newSlowSite(t)
	p := startServe(t, binary, url, "")
	if live, ready := health(p, "/livez"), health(p, "/readyz"); live != http.StatusOK || ready != http.StatusOK {
		t.Errorf("before: /livez %d, /readyz %d, want 200 and 200", live, ready)
	}
	answer := p.begin("/events/12")
	<-legacy.arrived
	p.terminate()
	p.expect(`"msg":"draining"`)
	if live, ready := health(p, "/livez"), health(p, "/readyz"); live != http.StatusOK || ready != http.StatusServiceUnavailable {
		t.Errorf("while draining: /livez %d, /readyz %d, want 200 and 503", live, ready)
	}
	close(legacy.release)
	if got := <-answer; got.err != nil || got.status != http.StatusOK || proxytest.Unmarked(got.body) != `{"id":12,"title":"Slow"}` {
		t.Errorf("the request under way got %+v", got)
	}
	if status := p.exitStatus(); status != statusOK {
		t.Errorf("exit status %d, want %d", status, statusOK)
	}
}

// TestCutOff does the same with no time to drain: the process ends, and says
// that it was not well.
func TestCutOff(t *testing.T) {
	binary := build(t)
	legacy, url := newSlowSite(t)
	p := startServe(t, binary, url, "shutdown_timeout: 0s")
	answer := p.begin("/events/12")
	<-legacy.arrived
	p.terminate()
	if got := <-answer; got.err == nil {
		t.Errorf("the request that was cut off got %+v", got)
	}
	if status := p.exitStatus(); status != statusFail {
		t.Errorf("exit status %d, want %d", status, statusFail)
	}
	p.expect(`calfacade serve: requests aborted after 0s`)
}
