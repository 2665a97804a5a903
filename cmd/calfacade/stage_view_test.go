package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

func TestLog(t *testing.T) {
	now := time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC)
	events := staging.Cells([]string{"events"}, []string{"en"})
	s := control.Overview{Snapshot: staging.Snapshot{History: []staging.Change{
		{Version: 3, When: now, Mode: "read_only", Who: "status page", Instance: "web1/:8080"},
		{When: now, Cells: events, From: []staging.Setting{{State: staging.Legacy}},
			To: staging.Setting{State: staging.Canary, Percent: 10}, Who: "anna", Why: "it is time"},
	}}}
	var out bytes.Buffer
	if err := printStageLog(&out, s); err != nil {
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
	for _, test := range []struct {
		numbered bool
		want     string
	}{
		{true, "requests, failed and differ count all instances\ndecisions of all instances: version 7; read-only since 2026-05-04 " +
			"11:00:00 by anna\n"},
		{false, "decisions of all instances: version 7, or a later one: redis does not answer this instance, which refuses writes; " +
			"read-only since 2026-05-04 11:00:00 by anna\n"},
	} {
		var out bytes.Buffer
		s := control.Overview{Status: fleet.Status{Shared: true, Version: 7, Known: test.numbered,
			ReadOnly: &staging.Change{When: time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC), Who: "anna"}}}
		if err := printMatrix(&out, s); err != nil || !bytes.HasSuffix(out.Bytes(), []byte(test.want)) {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}
