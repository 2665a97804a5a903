package staging_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
)

// requests routes n calls, each of another client, and returns how many went to the candidate.
func (m *matrixTest) requests(c staging.Cell, n int, credentials bool) (sum uint64) {
	for i := range n {
		client := staging.Client{Number: staging.NumberOf(fmt.Sprint("192.0.2.", i)), Credentials: credentials}
		if stagingtest.Route(m.Matrix, m.plan.Candidate, c, client).Candidate {
			sum++
		}
	}
	return sum
}

func (m *matrixTest) status(c staging.Cell) staging.Status {
	for _, s := range m.Snapshot().Cells {
		if s.Cell == c {
			return s
		}
	}
	m.Fatalf("no cell %s", c)
	panic("unreachable")
}

// TestShareOfRequests: a canary by requests takes its share of the requests of each client,
// unless they have credentials, and no writes.
func TestShareOfRequests(t *testing.T) {
	m := newMatrixTest(t, rule(ofRequests(30), "", ""))
	const n = 10_000
	sum := uint64(0)
	for range n {
		if stagingtest.Route(m.Matrix, m.plan.Candidate, readEvents, staging.Client{Number: 99}).Candidate {
			sum++
		}
	}
	if sum < n*25/100 || sum > n*35/100 { // eleven standard deviations
		t.Errorf("%d of %d requests of a client went to the candidate", sum, n)
	}
	for name, got := range map[string]uint64{
		"reads with credentials": m.requests(readEvents, 1000, true),
		"writes":                 m.requests(writeEvents, 1000, false),
	} {
		if got > 0 {
			t.Errorf("%d %s went to the candidate", got, name)
		}
	}
	if got, want := m.status(readEvents).Requests, (staging.Sides{Legacy: n + 1000 - sum, Candidate: sum}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// TestShareOfClients: the share is measured since the last change; metrics have the
// totals.
func TestShareOfClients(t *testing.T) {
	m := newMatrixTest(t, rule(everything, "", ""))
	m.requests(readEvents, 5, false)
	m.set(canary(50), "", "")
	const n = 200
	sum := m.requests(readEvents, n, false)
	m.requests(readEvents, n, false)
	got := m.status(readEvents)
	if diff := cmp.Diff(staging.Sides{Legacy: 2 * (n - sum), Candidate: 2 * sum}, got.Requests); diff != "" {
		t.Errorf("since the change (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(staging.Sides{Legacy: 2 * (n - sum), Candidate: 2*sum + 5}, got.Routed); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if got := m.status(writeEvents); got.Requests != (staging.Sides{}) {
		t.Errorf("writes: %+v", got.Requests)
	}
	m.set(shadow, "", "")
	if got := m.status(readEvents); got.Requests != (staging.Sides{}) {
		t.Errorf("after a change: %+v", got.Requests)
	}
}

// TestNothingIsLost: requests that are routed while the matrix changes are counted.
func TestNothingIsLost(t *testing.T) {
	m := newMatrixTest(t, rule(canary(50), "", ""))
	const count = 1000
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { m.requests(readEvents, count, false) })
	}
	for percent := 1; percent < 99; percent++ {
		m.set(canary(percent), "", "")
	}
	group.Wait()
	if got := m.status(readEvents).Routed.All(); got != 4*count {
		t.Errorf("%d requests are counted, want %d", got, 4*count)
	}
}

// TestSettingInJSON: a canary by requests says so, and one by clients is as it was.
func TestSettingInJSON(t *testing.T) {
	for text, want := range map[string]staging.Setting{
		`{"state":"canary","percent":10}`:                 canary(10),
		`{"state":"canary","percent":10,"by":"requests"}`: ofRequests(10),
	} {
		var got staging.Setting
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != text {
			t.Errorf("%s, want %s (%v)", back, text, err)
		}
	}
	var got staging.Setting
	if err := json.Unmarshal([]byte(`{"state":"canary","percent":10,"by":"clients"}`), &got); err != nil || got != canary(10) {
		t.Errorf("by clients: %+v, %v", got, err)
	}
}

// BenchmarkRoute routes calls of one client on all processors.
func BenchmarkRoute(b *testing.B) {
	m := staging.NewMatrix(time.Now, nil)
	plan := staging.Plan{Candidate: staging.Candidate{Name: "next"}, Cells: allCells, Rules: []staging.Rule{rule(canary(10), "", "")}}
	m.Configure(plan)
	client := staging.Client{Number: staging.NumberOf("192.0.2.1")}
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			stagingtest.Route(m, plan.Candidate, readEvents, client)
		}
	})
}
