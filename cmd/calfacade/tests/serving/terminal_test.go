//go:build !race

package serving_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// onTerminal runs a command of the program on a terminal, and returns the text that it shows. The
// command must end by itself.
func onTerminal(t *testing.T, binary string, args ...string) string {
	t.Helper()
	script, err := exec.LookPath("script")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs script, of util-linux: ", err)
		}
		t.Skip("no script of util-linux: ", err)
	}
	cmd := exec.CommandContext(t.Context(), script, "-qc", binary+" "+strings.Join(args, " "), os.DevNull)
	cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm", "SHELL=/bin/sh"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestTerminal: on a terminal the log is text with short times, unless the configuration
// wants otherwise. The command logs one record and fails,
// because its address is taken.
func TestTerminal(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	shows := func(name, log, args, want string) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "c.yaml")
		doc := fmt.Sprintf("listen: %s\nadmin_listen: ''\npublic_url: https://api.example.org\n%slanguages: [{code: en, root: /"+
			"wp-json, upstream: 'http://127.0.0.1:1/wp-json'}]\n", processtest.BusyAddress(t), log)
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		got := onTerminal(t, binary, "record", "--config", file, "--out", filepath.Join(dir, "recording"), args)
		if !regexp.MustCompile(want).MatchString(got) || !strings.Contains(got, "address already in use") {
			t.Errorf("%s: got %q, want %s", name, got, want)
		}
	}
	const short = `(?m)^\d\d:\d\d:\d\d\.\d{3}\t`
	shows("by itself", "", "", short+"INFO\trecording\t\\{\"dir\": ")
	shows("chosen", "log: {format: console}\n", "", short+"INFO")
	shows("JSON chosen", "log: {format: json}\n", "", `(?m)^\{"level":"info","ts":"[^"]+","msg":"recording"`)
	shows("not on the terminal", "", "2>&1 | cat", `(?m)^\{"level":"info","ts":"[^"]+","msg":"recording"`)
}
