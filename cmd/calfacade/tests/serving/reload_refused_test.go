//go:build !race

package serving_test

import (
	"bytes"
	"html"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestReloadRefused refuses configurations, each with a secret where it does not belong. The
// metrics and the status page show the refusal, and nothing shows the secret.
func TestReloadRefused(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	const good = "cache: {redis: 'redis://:first-hunter2@127.0.0.1:1'}"
	const secret = "second-hunter2"
	p := processtest.StartServe(t, binary, processtest.NewSite(t), good)
	if p.Value("calfacade_config_last_reload_successful") != "1" {
		t.Errorf("the first load: %s", p.Metrics())
	}
	now := good
	for refused, reason := range map[string]string{
		"cache: {redis: 'redis://:" + secret + "@127.0.0.1:port'}":                  "cache.redis",
		"cache: {redis: [{password: " + secret + "}]}":                              "expected a text",
		"cache: {redis: '" + secret + "'}":                                          "cache.redis",
		"cache: " + secret:                                                          "a mapping",
		"admin: [" + secret + "]":                                                   "a mapping",
		"admin: {token: *" + secret + "}":                                           "unknown anchor",
		"admin: {token: abc, " + secret + "}":                                       "unknown key",
		"admin: {token: {value: " + secret + "}}":                                   "expected a text",
		"upstream: {headers: ['" + secret + "']}":                                   "upstream.headers",
		"upstream: {basic_auth: 'a:" + secret + "', timeout: -1s}":                  "upstream.timeout",
		"backends: [{name: a, upstreams: {en: 'https://u:" + secret + "@a.test'}}]": "user or password",
	} {
		p.Edit(now, refused)
		now = refused
		count := strings.Count(p.Out.Text(), "configuration rejected")
		p.HangUp()
		p.Eventually("the log has "+refused, func() bool { return strings.Count(p.Out.Text(), "configuration rejected") > count })
		if got := p.Value("calfacade_config_last_reload_successful"); got != "0" {
			t.Errorf("%s: calfacade_config_last_reload_successful %s", refused, got)
		}
		page := html.UnescapeString(p.StatusPage())
		health := regexp.MustCompile(`(?s)<div id="health" data-live>(.*?)</div>`).FindString(page)
		if !strings.Contains(health, "Configuration rejected") || !strings.Contains(health, reason) ||
			strings.Contains(health, "All well") {
			t.Errorf("%s: want %s in %s", refused, reason, health)
		}
		for place, text := range map[string]string{"log": p.Out.Text(), "page": page, "metrics": p.Metrics()} {
			if strings.Contains(text, "hunter2") {
				t.Errorf("%s: the %s shows a secret: %s", refused, place, text)
			}
		}
	}
	p.Edit(now, good)
	p.HangUp()
	p.Expect(`"msg":"configuration unchanged"`)
	p.Eventually("the metric is 1", func() bool { return p.Value("calfacade_config_last_reload_successful") == "1" })
	p.Eventually("the page shows no refusal", func() bool { return !strings.Contains(p.StatusPage(), "Configuration rejected") })
}

// TestReloadStandardInput serves a configuration that cannot be read again. A SIGHUP that comes while the
// process starts, before it has read the configuration, is a reload too and does not end the process.
func TestReloadStandardInput(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	text := processtest.ReadFile(t, processtest.WriteConfig(t, processtest.NewSite(t), "watch_interval: 1ms"))
	for _, args := range [][]string{{"serve"}, {"record", "--out", filepath.Join(t.TempDir(), "recording")}} {
		cmd := exec.Command(binary, append(args, "--config", "-")...)
		input, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		p := processtest.StartCommand(t, cmd)
		if _, err := input.Write(bytes.Repeat([]byte("#\n"), 1<<17)); err != nil { // more than the pipe holds: it is being read
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(input, text); err != nil {
			t.Fatal(err)
		}
		if err := input.Close(); err != nil {
			t.Fatal(err)
		}
		p.Expect(`"msg":"serving"`)
		p.Expect(`"msg":"configuration rejected, the previous one stays in use","error":"the configuration was read from standard input, ` +
			`which cannot be read again: restart the process"`)
		if status := p.Stop(); status != processtest.StatusOK {
			t.Errorf("%v: exit status %d", args, status)
		}
		if n := strings.Count(p.Out.Text(), "configuration rejected"); n != 1 {
			t.Errorf("%v: %d reloads were tried, want that of SIGHUP", args, n)
		}
	}
}
