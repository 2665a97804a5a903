package main

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
	binary := build(t)
	legacy := processtest.Serve(t, sim.New(sim.Options{}))
	cfg := writeConfig(t, legacy, "unknown_params: drop")
	dir := filepath.Join(t.TempDir(), "recording")
	p := startServing(t, binary, "record", "--out", dir, "--config", cfg)
	want := p.get("/events?per_page=2")
	p.edit(legacy, "http://127.0.0.1:1")
	p.hangUp()
	p.expect(`"configuration rejected[^\n]*requires a new recording`)
	if status := p.stop(); status != statusOK {
		t.Errorf("record: exit status %d", status)
	}
	// The end of the process may have cut off calls of its own.
	p.expect(`"msg":"recorded","dir":"[^"]+","kept":[1-9],"private":0,"foreign":0,"broken":\d,"beyond":0,"failed":0`)

	// The configuration leads elsewhere by now: the site gets no call.
	p = startServing(t, binary, "serve", "--replay", dir, "--config", cfg)
	p.expect(`"msg":"replaying: no call is made to the site","dir":"[^"]+","calls":[1-9]`)
	if got := p.get("/events?per_page=2"); got != want || !strings.Contains(got, `"events":[{`) {
		t.Errorf("got %.200s\nwant %.200s", got, want)
	}
	if got := <-p.begin("/events?per_page=3"); got.status != http.StatusBadGateway ||
		!strings.HasPrefix(got.body, `{"code":"calendar_not_recorded"`) {
		t.Errorf("what was not recorded: %+v", got)
	}
	p.expect(`"msg":"not recorded","dir":"[^"]+","root":"en","call":"GET /tribe/events/v1/events\?per_page=3","file":"`)
	p.edit("unknown_params: drop", "unknown_params: reject")
	p.hangUp()
	p.expect(`"configuration reloaded","changed":\["unknown_params"\]`)
	if status := p.stop(); status != statusOK {
		t.Errorf("replay: exit status %d", status)
	}
}
