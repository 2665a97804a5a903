package deploying_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// composeFile has the keys of docs/deploy/docker/compose.yaml that the tests read.
type composeFile struct {
	Services map[string]struct {
		Environment map[string]string
		Command     []string
		Build       struct{ Dockerfile, Context, Target string }
		Healthcheck struct{ Test []string }
		Ports       []string
	}
}

func readCompose(t *testing.T) (c composeFile) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(processtest.ReadFile(t, processtest.Repository+"/docs/deploy/docker/compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// environment has the variables of the facade, without defaults of compose.
func (c composeFile) environment() (env []string) {
	for name, value := range c.Services["calfacade"].Environment {
		if _, fallback, ok := strings.Cut(value, ":-"); ok {
			value = strings.TrimSuffix(fallback, "}")
		}
		env = append(env, name+"="+value)
	}
	return env
}

func TestCompose(t *testing.T) {
	compose := readCompose(t)
	shipped := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/docker/config.yaml")
	if _, err := config.Parse("config.yaml", []byte(shipped), compose.environment()); err != nil {
		t.Error(err)
	}
	if redis := compose.Services["redis"].Command; !slices.Contains(redis, "volatile-lru") {
		t.Errorf("Redis may evict the purge log: %v", redis)
	}
	for name, s := range compose.Services {
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") || name == "calfacade" && strings.Contains(port, "9090") {
				t.Errorf("%s publishes %s", name, port)
			}
		}
		b := s.Build
		if b.Dockerfile == "" {
			continue
		}
		file := processtest.ReadFile(t, filepath.Join(processtest.Repository+"/docs/deploy/docker", b.Context, b.Dockerfile))
		if !strings.Contains(file, " AS "+b.Target+"\n") {
			t.Errorf("%s: the Dockerfile has no target %s", name, b.Target)
		}
	}
	promtool := processtest.PrometheusTool(t, "promtool")
	if out, err := exec.CommandContext(t.Context(), promtool, "check", "config", "--syntax-only",
		processtest.Repository+"/docs/deploy/docker/prometheus.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestComposeRuns runs the program as the compose file does, but for addresses, and its health
// check; and scrapes it by the name of the service.
func TestComposeRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	compose := readCompose(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	shipped := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/docker/config.yaml")
	text := strings.NewReplacer("http://legacy:8081", processtest.NewSite(t), ":8080\n", processtest.FreeAddress(t)+"\n",
		":9090\n", processtest.FreeAddress(t)+"\n", "http://127.0.0.1:8080", "http://127.0.0.1:8080").Replace(shipped)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	container := func(command ...string) *exec.Cmd {
		args := strings.ReplaceAll(strings.Join(command, "\n"), "/etc/calfacade/config.yaml", file)
		cmd := exec.CommandContext(t.Context(), processtest.Build(t), strings.Split(args, "\n")...)
		cmd.Env = append(compose.environment(), "CALFACADE_CACHE_REDIS=")
		return cmd
	}
	health := compose.Services["calfacade"].Healthcheck.Test
	if len(health) < 3 || health[0] != "CMD" || health[1] != "/calfacade" {
		t.Fatalf("the image has no shell: %q", health)
	}
	if out, err := container(health[2:]...).CombinedOutput(); err == nil {
		t.Errorf("healthy before it runs: %s", out)
	}
	p := processtest.StartCommand(t, container("serve", "--config", file))
	admin := p.Expect(`"msg":"admin","listen":"([^"]+)"`)[1]
	p.Expect(`"msg":"serving"`)
	if out, err := container(health[2:]...).CombinedOutput(); err != nil {
		t.Errorf("not healthy: %v %s", err, out)
	}
	for host, want := range map[string]int{"calfacade:9090": http.StatusOK, "172.18.0.3:9090": http.StatusOK,
		"evil.example:9090": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+admin+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if res, _ := processtest.Send(t, r); res.StatusCode != want {
			t.Errorf("/metrics of %s: %d, want %d", host, res.StatusCode, want)
		}
	}
}
