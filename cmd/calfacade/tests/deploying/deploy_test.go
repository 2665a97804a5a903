package deploying_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestDockerfile holds that the image is built by the Go that the module wants,
// and runs a command that there is.
func TestDockerfile(t *testing.T) {
	file := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/docker/Dockerfile")
	version := regexp.MustCompile(`FROM golang:(\d+\.\d+)`).FindStringSubmatch(file)
	wants := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(processtest.ReadFile(t, processtest.Repository+"/go.mod"))
	if version == nil || wants == nil || version[1] != wants[1] {
		t.Errorf("the image is built by %v, the module wants %v", version, wants)
	}
	for _, want := range []string{`CMD ["serve", "--config", "/etc/calfacade/config.yaml"]`, "FROM scratch AS calfacade",
		"\nUSER 65532:65532\n", "CGO_ENABLED=0"} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
}

// TestSystemd has systemd read the units with all drop-ins, where it is installed.
func TestSystemd(t *testing.T) {
	service := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/systemd/calfacade.service")
	stop := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(service)
	c := config.Default()
	if stop == nil {
		t.Fatal("no TimeoutStopSec")
	}
	if limit, err := time.ParseDuration(stop[1] + "s"); err != nil || limit <= c.DrainDelay+c.ShutdownTimeout {
		t.Errorf("the service is killed after %s, but drains for %s", limit, c.DrainDelay+c.ShutdownTimeout)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"calfacade.service": strings.ReplaceAll(service, "ExecStart=calfacade ", "ExecStart="+self+" "), // it must exist
		"calfacade.socket":  processtest.ReadFile(t, processtest.Repository+"/docs/deploy/systemd/calfacade.socket"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shipped := os.DirFS(processtest.Repository + "/docs/deploy/systemd/calfacade.service.d")
	if err := os.CopyFS(filepath.Join(dir, "calfacade.service.d"), shipped); err != nil {
		t.Fatal(err)
	}
	units := []string{filepath.Join(dir, "calfacade.service"), filepath.Join(dir, "calfacade.socket")}
	out, err := exec.CommandContext(t.Context(), analyze, slices.Insert(units, 0, "--man=no", "verify")...).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
