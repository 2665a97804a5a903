//go:build !race

package serving_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// TestDemo runs the commands that the demo suggests.
func TestDemo(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	p := processtest.Start(t, binary, "demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	printed := p.Expect(`(?s)in memory, at (\S+)\) .*Stop with Ctrl-C`)
	got := processtest.Captures(regexp.MustCompile(`(?m)^  (curl .*)$`), printed[0])
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
		res, body := processtest.Send(t, curl(t, line))
		if res.StatusCode != want[i].status || !strings.Contains(string(body), want[i].body) {
			t.Errorf("%s\nstatus %d, want %d and a body with %s: %s", line, res.StatusCode, want[i].status, want[i].body, body)
		}
		processtest.CheckLeaks(t, res.Header, body, "http://"+printed[1])
	}
	status := p.Expect(`(?m)^The status page for operators: (http://\S+)$`)[1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, status, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, body := processtest.Send(t, r); res.StatusCode != http.StatusOK || !strings.Contains(string(body), "<h2") {
		t.Errorf("%s: %d %.200s", status, res.StatusCode, body)
	}
	first := p.Expect(`(?m)^Open (http://\S+) in a browser first: .*\.$`)[1]
	if r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, first, nil); err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if res, body := processtest.Send(t, r); res.StatusCode != http.StatusOK || !strings.Contains(string(body), `/calendar/events/v1/docs/"`) {
		t.Errorf("%s: %d %.200s", first, res.StatusCode, body)
	}
	if status := p.Stop(); status != processtest.StatusOK {
		t.Errorf("exit status %d after SIGTERM, want %d", status, processtest.StatusOK)
	}
}

// curl makes the request that a curl line of the demo sends.
func curl(t *testing.T, line string) *http.Request {
	t.Helper()
	var method, target, user string
	var data []string
	args := processtest.Words(line)[1:]
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

func health(s processtest.Serving, path string) int {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Admin+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	res, _ := processtest.Send(s.T, r)
	return res.StatusCode
}

// TestDrain sends SIGTERM while a request is under way: it gets its answer, the
// orchestrator learns to send no more, and then the process exits with 0.
func TestDrain(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	legacy, url := newSlowSite(t)
	p := processtest.StartServe(t, binary, url, "")
	if live, ready := health(p, "/livez"), health(p, "/readyz"); live != http.StatusOK || ready != http.StatusOK {
		t.Errorf("before: /livez %d, /readyz %d, want 200 and 200", live, ready)
	}
	answer := p.Begin("/events/12")
	<-legacy.arrived
	p.Terminate()
	p.Expect(`"msg":"draining"`)
	if live, ready := health(p, "/livez"), health(p, "/readyz"); live != http.StatusOK || ready != http.StatusServiceUnavailable {
		t.Errorf("while draining: /livez %d, /readyz %d, want 200 and 503", live, ready)
	}
	close(legacy.release)
	if got := <-answer; got.Err != nil || got.Status != http.StatusOK || proxytest.Unmarked(got.Body) != `{"id":12,"title":"Slow"}` {
		t.Errorf("the request under way got %+v", got)
	}
	if status := p.ExitStatus(); status != processtest.StatusOK {
		t.Errorf("exit status %d, want %d", status, processtest.StatusOK)
	}
}

// TestCutOff does the same with no time to drain: the process ends, and says
// that it was not well.
func TestCutOff(t *testing.T) {
	binary := processtest.Build(t)
	legacy, url := newSlowSite(t)
	p := processtest.StartServe(t, binary, url, "shutdown_timeout: 0s")
	answer := p.Begin("/events/12")
	<-legacy.arrived
	p.Terminate()
	if got := <-answer; got.Err == nil {
		t.Errorf("the request that was cut off got %+v", got)
	}
	if status := p.ExitStatus(); status != processtest.StatusFail {
		t.Errorf("exit status %d, want %d", status, processtest.StatusFail)
	}
	p.Expect(`calfacade serve: requests aborted after 0s`)
}
