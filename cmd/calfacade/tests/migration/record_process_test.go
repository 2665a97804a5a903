//go:build !race

package migration_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// TestRecord records as an operator does, and replays without the site.
func TestRecord(t *testing.T) {
	t.Parallel()
	binary := processtest.Build(t)
	legacy := processtest.Serve(t, sim.New(sim.Options{}))
	cfg := processtest.WriteConfig(t, legacy, "unknown_params: drop")
	dir := filepath.Join(t.TempDir(), "recording")
	p := processtest.StartServing(t, binary, "record", "--out", dir, "--config", cfg)
	want := p.Get("/events?per_page=2")
	p.Edit(legacy, "http://127.0.0.1:1")
	p.HangUp()
	p.Expect(`"configuration rejected[^\n]*requires a new recording`)
	if status := p.Stop(); status != processtest.StatusOK {
		t.Errorf("record: exit status %d", status)
	}
	// The end of the process may have cut off calls of its own.
	p.Expect(`"msg":"recorded","dir":"[^"]+","kept":[1-9],"private":0,"foreign":0,"broken":\d,"beyond":0,"failed":0`)

	// The configuration leads elsewhere by now: the site gets no call.
	p = processtest.StartServing(t, binary, "serve", "--replay", dir, "--config", cfg)
	p.Expect(`"msg":"replaying: no call is made to the site","dir":"[^"]+","calls":[1-9]`)
	if got := p.Get("/events?per_page=2"); got != want || !strings.Contains(got, `"events":[{`) {
		t.Errorf("got %.200s\nwant %.200s", got, want)
	}
	if got := <-p.Begin("/events?per_page=3"); got.Status != http.StatusBadGateway ||
		!strings.HasPrefix(got.Body, `{"code":"calendar_not_recorded"`) {
		t.Errorf("what was not recorded: %+v", got)
	}
	p.Expect(`"msg":"not recorded","dir":"[^"]+","root":"en","call":"GET /tribe/events/v1/events\?per_page=3","file":"`)
	p.Edit("unknown_params: drop", "unknown_params: reject")
	p.HangUp()
	p.Expect(`"configuration reloaded","changed":\["unknown_params"\]`)
	if status := p.Stop(); status != processtest.StatusOK {
		t.Errorf("replay: exit status %d", status)
	}
}
