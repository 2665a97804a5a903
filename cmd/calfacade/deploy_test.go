package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"go.yaml.in/yaml/v3"
)

// manifest is what the tests read of a Kubernetes object.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct{ Spec podSpec }
		Ports    []struct {
			TargetPort string `yaml:"targetPort"`
		}
	}
}

type podSpec struct {
	EnableServiceLinks            *bool `yaml:"enableServiceLinks"`
	TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
	Containers                    []struct {
		Ports []struct {
			Name          string
			ContainerPort string `yaml:"containerPort"`
		}
		LivenessProbe  healthProbe `yaml:"livenessProbe"`
		ReadinessProbe healthProbe `yaml:"readinessProbe"`
	}
}

type healthProbe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

func readManifests(t *testing.T, file string) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	for d := yaml.NewDecoder(strings.NewReader(readFile(t, file))); ; {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[m.Kind] = m
	}
}

// TestKubernetes holds that the manifest fits the program: its configuration is
// valid, its ports are those, its probes are answered, and its patience lasts.
func TestKubernetes(t *testing.T) {
	all := readManifests(t, "deploy/kubernetes/calfacade.yaml")
	secrets := []string{"CALFACADE_ADMIN_TOKEN=0123456789abcdef", "CALFACADE_CACHE_REDIS=redis://redis:6379/0"}
	c, err := config.Parse("config.yaml", []byte(all["ConfigMap"].Data["config.yaml"]), secrets)
	if err != nil {
		t.Fatal(err)
	}
	pod := all["Deployment"].Spec.Template.Spec
	if grace := time.Duration(pod.TerminationGracePeriodSeconds) * time.Second; grace <= c.DrainDelay+c.ShutdownTimeout {
		t.Errorf("the pod is killed after %s, but drains for %s and then %s", grace, c.DrainDelay, c.ShutdownTimeout)
	}
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		t.Error("variables of Services would count as configuration")
	}
	ports := map[string]string{}
	for _, p := range pod.Containers[0].Ports {
		ports[p.Name] = ":" + p.ContainerPort
	}
	if ports["http"] != c.Listen || ports["admin"] != c.AdminListen || all["Service"].Spec.Ports[0].TargetPort != "http" {
		t.Errorf("ports %v, listen %s, admin_listen %s", ports, c.Listen, c.AdminListen)
	}
	admin := newTestGeneration(t, c).admin
	for _, p := range []healthProbe{pod.Containers[0].LivenessProbe, pod.Containers[0].ReadinessProbe} {
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://10.0.0.7:9090"+p.HTTPGet.Path, nil))
		if w.Code != http.StatusOK || p.HTTPGet.Port != "admin" {
			t.Errorf("%+v: status %d", p, w.Code)
		}
	}
}

func TestCompose(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Environment map[string]string
			Command     []string
			Build       struct{ Dockerfile, Context, Target string }
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "deploy/docker/compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	var env []string
	for name, value := range compose.Services["calfacade"].Environment {
		env = append(env, name+"="+value)
	}
	if _, err := config.Parse("config.yaml", []byte(readFile(t, "deploy/docker/config.yaml")), env); err != nil {
		t.Error(err)
	}
	if redis := compose.Services["redis"].Command; !slices.Contains(redis, "volatile-lru") {
		t.Errorf("Redis may evict the purge log: %v", redis)
	}
	for name, s := range compose.Services {
		b := s.Build
		if b.Dockerfile == "" {
			continue
		}
		file := readFile(t, filepath.Join("deploy/docker", b.Context, b.Dockerfile))
		if !strings.Contains(file, " AS "+b.Target+"\n") {
			t.Errorf("%s: the Dockerfile has no target %s", name, b.Target)
		}
	}
}

// TestDockerfile holds that the image is built by the Go that the module wants,
// and runs a command that there is.
func TestDockerfile(t *testing.T) {
	file := readFile(t, "deploy/docker/Dockerfile")
	from := regexp.MustCompile(`FROM golang:(\d+\.\d+)`).FindStringSubmatch(file)
	wants := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "../../go.mod"))
	if from == nil || wants == nil || from[1] != wants[1] {
		t.Errorf("the image is built by %v, the module wants %v", from, wants)
	}
	for _, want := range []string{`CMD ["serve", "--config", "/etc/calfacade/config.yaml"]`, ":nonroot AS calfacade", "CGO_ENABLED=0"} {
		if !strings.Contains(file, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
}

// TestSystemd has systemd read the units, where it is installed.
func TestSystemd(t *testing.T) {
	service := readFile(t, "deploy/systemd/calfacade.service")
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
		"calfacade.socket":  readFile(t, "deploy/systemd/calfacade.socket"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	units := []string{filepath.Join(dir, "calfacade.service"), filepath.Join(dir, "calfacade.socket")}
	out, err := exec.CommandContext(t.Context(), analyze, slices.Insert(units, 0, "--man=no", "verify")...).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
