//go:build !race

package serving_test

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// healthy runs the command, and returns its exit status and all that it printed.
func healthy(t *testing.T, env []string, args ...string) (status int, printed string) {
	t.Helper()
	var out bytes.Buffer
	status = processtest.RunCommand(t.Context(), t, append([]string{"health"}, args...), env, strings.NewReader("admin_listen: ''"), &out, &out)
	return status, out.String()
}

func TestHealth(t *testing.T) {
	t.Parallel()
	c := processtest.MinimalConfig(t)
	instance := servicetest.New(t, &c)
	site := processtest.Serve(t, http.HandlerFunc(instance.Admin))
	address := strings.TrimPrefix(site, "http://")
	_, port, _ := strings.Cut(address, ":")
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	busy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "full\x1b[2J", 500) }))
	silent := processtest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	socket := filepath.Join(t.TempDir(), "admin.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	onSocket := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(instance.Admin)}}
	onSocket.Start()
	t.Cleanup(onSocket.Close)
	env := []string{"CALFACADE_ADMIN_LISTEN=" + address}
	for _, test := range []struct {
		name   string
		env    []string
		args   []string
		status int
		want   string
	}{
		{"the environment", env, nil, processtest.StatusOK, site + "/readyz: ok"},
		{"a URL", nil, []string{"--url", site}, processtest.StatusOK, site + "/readyz: ok"},
		{"a URL with a slash", nil, []string{"--url", site + "/"}, processtest.StatusOK, site + "/readyz: ok"},
		{"a Unix socket", nil, []string{"--url", "unix:" + socket}, processtest.StatusOK, "http://localhost/readyz: ok"},
		{"no Unix socket", nil, []string{"--url", "unix:none.sock"}, processtest.StatusFail,
			"calfacade health: http://localhost/readyz does not respond: dial unix none.sock: "},
		{"another page", nil, []string{"--url", site + "/status"}, processtest.StatusFail,
			"calfacade health: " + site + "/status/readyz returned status"},
		{"a configuration", nil, []string{"--config", file("admin_listen: " + address)}, processtest.StatusOK, site + "/readyz: ok"},
		{"all interfaces", nil, []string{"--config", file("admin_listen: :" + port)}, processtest.StatusOK, "http://127.0.0.1:" + port + "/readyz: ok"},
		{"the environment before the configuration", env, []string{"--config", file("admin_listen: 127.0.0.1:1")}, processtest.StatusOK, site +
			"/readyz: ok"},
		{"a configuration that would be refused", nil, []string{"--config", file("languges: [1]\nadmin_listen: " + address)},
			processtest.StatusOK, site + "/readyz: ok"},
		{"no listener", nil, []string{"--config", "-"}, processtest.StatusFail, "calfacade health: admin_listen is empty"},
		{"an empty variable", []string{`CALFACADE_ADMIN_LISTEN=""`}, nil, processtest.StatusFail, "calfacade health: admin_listen is empty"},
		{"an address that is none", []string{"CALFACADE_ADMIN_LISTEN=here"}, nil, processtest.StatusFail,
			`calfacade health: admin_listen: "here" is not an address`},
		{"no configuration", nil, []string{"--config", "none.yaml"}, processtest.StatusFail,
			"calfacade health: reading the configuration: open none.yaml: "},
		{"nothing there", nil, []string{"--url", "http://127.0.0.1:1"}, processtest.StatusFail,
			"calfacade health: http://127.0.0.1:1/readyz does not respond: dial tcp"},
		{"an error", nil, []string{"--url", busy}, processtest.StatusFail, "calfacade health: " + busy + `/readyz returned status 500: full\x1b[2J`},
		{"no response", nil, []string{"--url", silent}, processtest.StatusFail, "calfacade health: " + silent +
			"/readyz does not respond: context deadline exceeded"},
		{"a URL that is none", nil, []string{"--url", "nonsense"}, processtest.StatusUsage,
			"calfacade health: --url is not an absolute http or https URL"},
	} {
		status, printed := healthy(t, test.env, test.args...)
		if status != test.status || !strings.HasPrefix(printed, test.want) || strings.Count(printed, "\n") != 1 {
			t.Errorf("%s: status %d, want %d; %s, want %s", test.name, status, test.status, printed, test.want)
		}
	}

	instance.Drain()
	if status, printed := healthy(t, env); status != processtest.StatusFail || !strings.HasSuffix(printed, "returned status 503: draining\n") {
		t.Errorf("draining: status %d, %s", status, printed)
	}
}
