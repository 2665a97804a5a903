//go:build !race

package migration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/staging"
)

// instance is a facade of a rehearsal. Its sockets outlive its processes.
type instance struct {
	*testing.T
	processtest.HeldSockets
	binary, dir string
	sites       []string // their URLs, which no response may show
	process     *processtest.Program
	reloads     int // of the process
}

func newInstance(t *testing.T, binary, dir string, sites ...string) *instance {
	return &instance{T: t, HeldSockets: processtest.NewSockets(t), binary: binary, dir: dir, sites: sites}
}

// command is a line of the document as the shell would have it, in the rehearsal's
// directory.
func (i *instance) command(line string, flags ...string) *exec.Cmd {
	args := append(processtest.Words(line)[1:], flags...)
	cmd := exec.CommandContext(i.Context(), i.binary, args...)
	cmd.Dir = i.dir
	cmd.Env = []string{"HOME=" + i.dir}
	return cmd
}

// run runs a command that ends, and wants its exit status.
func (i *instance) run(status int, line string, words ...string) string {
	i.Helper()
	cmd := i.command(line, words...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		i.Fatalf("%s: %v, want exit status %d\n%s", line, err, status, out)
	}
	return string(out)
}

// serve runs a command that serves on the sockets, as systemd would start it.
func (i *instance) serve(line string) {
	i.Helper()
	cmd := i.command(line)
	i.Pass(cmd)
	i.process = processtest.StartCommand(i.T, cmd)
	i.reloads = 0
	i.process.Expect(`"msg":"serving"`)
}

func (i *instance) stop() {
	i.Helper()
	if status := i.process.Stop(); status != processtest.StatusOK {
		i.Errorf("the facade ended with %d", status)
	}
}

func (i *instance) reload() {
	i.Helper()
	i.serving().HangUp()
	i.reloads++
	i.process.Expect("(?s)" + strings.Repeat(`"msg":"configuration reloaded".*`, i.reloads))
}

// readEvent reads events in Spanish that nobody has read, and wants an answer.
func (i *instance) readEvent(client string, n int) int {
	i.Helper()
	status, _ := i.get(client, fmt.Sprintf("/es/wp-json/%s/events?per_page=1&search=n%d-%d", mapping.Namespace, n, time.Now().UnixNano()))
	return status
}

var esEvents = staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}

// rolledBack reports whether the legacy has events in Spanish again.
func (i *instance) rolledBack() bool {
	i.Helper()
	return i.status(esEvents).State == staging.Legacy
}

func (i *instance) status(cell staging.Cell) staging.Status {
	i.Helper()
	for _, c := range i.snapshot().Cells {
		if c.Cell == cell {
			return c
		}
	}
	i.Fatalf("the matrix has no %s", cell)
	panic("unreachable")
}

// get reads a path as a client.
func (i *instance) get(client, path string) (status int, body string) {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), http.MethodGet, "http://"+i.Public+path, nil)
	if err != nil {
		i.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", client)
	res, data := processtest.Send(i.T, request)
	processtest.CheckLeaks(i.T, res.Header, data, processtest.Pages)
	for _, site := range i.sites {
		if strings.Contains(string(data), strings.TrimPrefix(site, "http://")) {
			i.Errorf("%s: a site's URL is in the answer", path)
		}
	}
	return res.StatusCode, string(data)
}

func (i *instance) snapshot() staging.Snapshot {
	i.Helper()
	request, err := http.NewRequestWithContext(i.Context(), http.MethodGet, "http://"+i.Admin+"/staging", nil)
	if err != nil {
		i.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+processtest.RehearsalToken)
	res, body := processtest.Send(i.T, request)
	var s staging.Snapshot
	if err := json.Unmarshal(body, &s); err != nil || res.StatusCode != http.StatusOK {
		i.Fatalf("GET /staging: %d %v", res.StatusCode, err)
	}
	return s
}

func (i *instance) serving() processtest.Serving {
	return processtest.Serving{Program: i.process, Admin: "http://" + i.Admin}
}

func (i *instance) until(condition string, ok func(staging.Snapshot) bool) {
	i.Helper()
	processtest.Eventually(i.T, condition, func() bool { return ok(i.snapshot()) })
}
