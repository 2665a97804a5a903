package purging_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestPurgeReplay: a purge that a target refuses is listed, and "calfacade purge --replay" sends it again.
func TestPurgeReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	var refuses atomic.Bool
	var accepted atomic.Int32
	target := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if refuses.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		accepted.Add(1)
	}))
	file := processtest.WriteConfig(t, processtest.Serve(t, new(processtest.Versions)), fmt.Sprintf("admin: {token: %s}\n"+
		"edge: {tags: xkey, purge: [{name: front, type: varnish, url: '%s', token: do-not-show-this}]}", processtest.PurgeToken, target))
	text := strings.Replace(processtest.ReadFile(t, file), "admin_listen: 127.0.0.1:0", "admin_listen: "+processtest.FreeAddress(t), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := processtest.StartServing(t, processtest.Build(t), "serve", "--config", file)
	s.Eventually("everything is purged at the start", func() bool { return accepted.Load() == 1 })
	refuses.Store(true)
	run := func(args ...string) (int, string) {
		p := processtest.Start(t, processtest.Build(t), append([]string{"purge", "--config", file}, args...)...)
		return p.ExitStatus(), p.Out.Text()
	}
	if status, text := run("--type", "venue", "--id", "12"); status != 0 {
		t.Fatalf("%d %s", status, text)
	}
	s.Eventually("it is refused", func() bool { return strings.Contains(s.Metrics(), `calfacade_onward_refused{target="front"} 1`) })
	if status, text := run("--replay"); status != 1 || !strings.Contains(text, "target front: status 403") {
		t.Errorf("refused again: %d %s", status, text)
	}
	refuses.Store(false)
	if status, text := run("--replay"); status != 0 || !strings.Contains(text, "front: 1 deliveries sent again") || accepted.Load() != 2 {
		t.Errorf("accepted: %d %s", status, text)
	}
	if status, text := run("--replay", "--all"); status != 2 {
		t.Errorf("with --all: %d %s", status, text)
	}
	if strings.Contains(s.Out.Text(), "do-not-show-this") {
		t.Error("the token is logged")
	}
}
