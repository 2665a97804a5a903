//go:build !race

package fronts_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestHAProxyCheck: HAProxy's check without arguments, OPTIONS / of HTTP/1.0 on the port that it
// uses, lets clients through once health_paths is true, and until the instance drains. No check is in the lane.
func TestHAProxyCheck(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	program := processtest.FrontServer{Program: "haproxy"}.Find(t)
	p := processtest.StartServe(t, binary, processtest.NewSite(t), "drain_delay: 1h")
	front := processtest.FreeAddress(t)
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	address := strings.TrimPrefix(strings.TrimSuffix(p.Base, "/wp-json/calendar/events/v1"), "http://")
	cfg := fmt.Sprintf("defaults\n mode http\n timeout connect 1m\n timeout client 1m\n timeout server 1m\n timeout check 1m\n"+
		"frontend f\n bind %s\n default_backend b\nbackend b\n option httpchk\n server one %s check inter 10ms fall 1 rise 1\n", front, address)
	if err := os.WriteFile(file, []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	processtest.StartCommand(t, exec.Command(program, "-db", "-f", file))
	serves := func(want int) func() bool {
		return func() bool {
			res, err := http.Get("http://" + front + "/wp-json/calendar/events/v1")
			if err != nil {
				return false
			}
			res.Body.Close()
			return res.StatusCode == want
		}
	}
	processtest.Eventually(t, "HAProxy considers the instance down without the key", serves(http.StatusServiceUnavailable))
	p.Edit("drain_delay: 1h", "drain_delay: 1h\nhealth_paths: true")
	p.HangUp()
	processtest.Eventually(t, "HAProxy uses the instance", serves(http.StatusOK))
	if !strings.Contains(p.Metrics(), "\ncalfacade_lane_requests_total 0\n") {
		t.Error("the lane has served a request")
	}
	p.Terminate()
	processtest.Eventually(t, "HAProxy leaves an instance that drains", serves(http.StatusServiceUnavailable))
}
