package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/mapping"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

const configuration = `
public_url: https://api.example.org
languages:
  - {code: en, root: /wp-json, upstream: "https://legacy.example.org/wp-json"}
  - {code: es, root: /es/wp-json, upstream: "https://legacy.example.org/es/wp-json"}
backends:
  - name: next
    dialect: tribe/events/v1
    upstreams: {en: "https://next.example.org/wp-json", es: "https://next.example.org/es/wp-json"}
`

// TestExportLoads: a configuration with the export has exactly the matrix, and the mode.
func TestExportLoads(t *testing.T) {
	states := []string{"legacy", "shadow", "canary 10%", "canary 20% of requests", "new", "new_with_fallback"}
	cells := staging.Cells(mapping.Resources(), []string{"en", "es"})
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		s := admin.StagingReport{Snapshot: staging.Snapshot{Candidate: "next"}}
		want := map[staging.Cell]staging.Setting{}
		variety := 1 + random.IntN(len(states))
		for _, c := range cells {
			to, err := staging.ParseSetting(states[random.IntN(variety)])
			if err != nil {
				t.Fatal(err)
			}
			want[c] = to.Of(c.Op)
			s.Cells = append(s.Cells, staging.Status{Cell: c, Setting: want[c]})
		}
		writes := "any"
		if random.IntN(2) > 0 {
			s.ReadOnly, writes = new(staging.Change), "none"
		}
		var out bytes.Buffer
		if err := (stageView{export: true}).print(&out, s); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Parse("c.yaml", append([]byte(configuration), out.Bytes()...), nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, out.String())
		}
		plan := cfg.StagingPlan()
		if diff := cmp.Diff(want, staging.Settings(plan.Cells, plan.Rules)); diff != "" || cfg.Writes != writes {
			t.Fatalf("writes %s, -want +got:\n%s\n%s", cfg.Writes, diff, out.String())
		}
	}
}

func TestLog(t *testing.T) {
	at := time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC)
	events := staging.Cells([]string{"events"}, []string{"en"})
	s := admin.StagingReport{Snapshot: staging.Snapshot{History: []staging.Change{
		{Version: 3, When: at, Mode: "read_only", Who: "status page", Instance: "web1/:8080"},
		{When: at, Cells: events, From: []staging.Setting{{State: staging.Legacy}},
			To: staging.Setting{State: staging.Canary, Percent: 10}, Who: "anna", Why: "it is time"},
	}}}
	var out bytes.Buffer
	if err := (stageView{log: true}).print(&out, s); err != nil {
		t.Fatal(err)
	}
	want := `VERSION  TIME                 FROM    TO          WHAT                              INSTANCE    BY
3        2026-05-04 11:00:00  -       read_only   mode                              web1/:8080  status page
-        2026-05-04 11:00:00  legacy  canary 10%  reads and writes of events in en  -           anna: it is time
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMatrixOfAllInstances(t *testing.T) {
	for known, want := range map[bool]string{
		true: "requests, failed and differ count all instances\ndecisions of all instances: version 7; read-only since 2026-05-04 " +
			"11:00:00 by anna\n",
		false: "decisions of all instances: version 7, or a later one: redis does not answer this instance, which refuses writes; " +
			"read-only since 2026-05-04 11:00:00 by anna\n",
	} {
		var out bytes.Buffer
		s := admin.StagingReport{Status: fleet.Status{Shared: true, Version: 7, Known: known,
			ReadOnly: &staging.Change{When: time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC), Who: "anna"}}}
		if err := (stageView{}).print(&out, s); err != nil || !bytes.HasSuffix(out.Bytes(), []byte(want)) {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}
