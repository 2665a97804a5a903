package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/calfacade/calfacade/cache/redisstore"
	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// view has all that the templates show: fields of the page, a sample of now, and values that are read once for them.
type view struct {
	*Admin
	sample
	Here, Done string   // path of the page; the action before, "" for none
	Problems   []health // the worst first; or one line that all is well
	Charts     []chart
	Roots      []root
	Sources    *telemetry.Sources
	Redis      health                // zero: this instance caches in memory alone
	Instances  []redisstore.Instance // on the same Redis; nil while it is down
	Targets    []onward.Status       // of purges
	Records    []record              // errors and warnings of the log, the latest first
	Purges     []purge               // likewise
	Old        []telemetry.LegacyUse // clients of the old names, the latest first
	OlderOnes  uint64                // clients that are not in Old
	Staging    *stagingView          // nil on the overview
}

// shownOldClients limits the clients of the old names on the page.
const shownOldClients = 50

func (a *Admin) showStatus(w http.ResponseWriter, r *http.Request) {
	show(w, http.StatusOK, "page.html", a.view(r, "./"))
}

func (a *Admin) showStaging(w http.ResponseWriter, r *http.Request) {
	v := a.view(r, "staging")
	v.Staging = newStagingView(a.stagingReport(r.Context()))
	show(w, http.StatusOK, "staging.html", v)
}

// view reads all sources once.
func (a *Admin) view(r *http.Request, tab string) *view {
	a.Fleet.Count(r.Context(), true) // also an instance without requests shows the latest decisions
	s := a.Page
	now := a.Page.sample()
	v := &view{Admin: a, sample: now, Here: tab, Done: r.URL.Query().Get("done"), Sources: s.Metrics.Watched()}
	stats := v.Sources.Upstreams()
	refusedWrites := uint64(0)
	v.Roots = a.roots(stats)
	for _, u := range stats {
		refusedWrites += u.RefusedWrites
	}
	if v.Sources.Redis != nil {
		v.Redis = redisHealth(v.Sources.Redis.Up(), v.Sources.Cache.Stats().Pending)
		v.Instances, _ = s.instances(r.Context(), now.Version)
	}
	for _, c := range a.Onward.Couriers() {
		v.Targets = append(v.Targets, c.Status())
	}
	v.Old, v.OlderOnes = s.Metrics.LegacyUses(shownOldClients)
	s.mu.Lock()
	h := s.samples
	rejected := s.rejected
	v.Records = slices.Clone(s.records)
	v.Purges = slices.Clone(s.purges)
	s.mu.Unlock()
	v.Charts = h.charts(now, s.Every)
	lastMinute := errorHealth(h.since(now.Now.Add(-time.Minute), now), now)
	v.Problems = problems(siteHealth(v.Roots, refusedWrites, now.Now),
		[]health{lastMinute, rejected, certificateHealth(now.Certificate, now.Now), v.Redis, a.writesHealth()},
		stagingHealth(a.Staging.Snapshot()), targetsHealth(v.Targets))
	return v
}

// moment is a time in the forms that the page shows.
type moment struct{ ISO, Clock, Ago string }

// At returns a time as the page shows it.
func (v *view) At(t time.Time) moment {
	return moment{
		ISO:   t.UTC().Format(time.RFC3339),
		Clock: clock(t, v.Now),
		Ago:   humanize.RelTime(t, v.Now, "ago", "from now"),
	}
}

// clock returns the time of day in UTC, with the date if that is another day.
func clock(t, now time.Time) string {
	t = t.UTC()
	now = now.UTC()
	if t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("2 Jan 15:04 UTC")
	}
	return t.Format("15:04 UTC")
}

// Limits of the page; /staging returns all.
const (
	shownChanges = 20
	shownGroups  = 20
)

// stagingView is the tab of the matrix.
type stagingView struct {
	StagingReport
	Parts  []part
	More   int // groups of findings that are not shown
	Ops    []staging.Op
	States []staging.State
}

// part are cells with one setting by one decision. Its numbers are the sums of theirs.
type part struct {
	staging.Status
	cells []staging.Cell
}

// What describes the cells.
func (p part) What() string { return staging.Describe(p.cells) }

func (p *part) add(c *staging.Status) {
	p.cells = append(p.cells, c.Cell)
	p.Calls = p.Calls + c.Calls
	p.Failures = p.Failures + c.Failures
	p.Compared = p.Compared + c.Compared
	p.Different = p.Different + c.Different
	p.Requests.Legacy = p.Requests.Legacy + c.Requests.Legacy
	p.Requests.Candidate = p.Requests.Candidate + c.Requests.Candidate
	p.Written += c.Written
}

func newStagingView(r StagingReport) *stagingView {
	v := &stagingView{StagingReport: r, Ops: staging.Ops, States: staging.States, Parts: partsOf(r.Cells)}
	v.History = v.History[:min(len(v.History), shownChanges)]
	v.More = max(0, len(r.Findings.Groups)-shownGroups)
	r.Findings.Groups = r.Findings.Groups[:len(r.Findings.Groups)-v.More]
	return v
}

// partsOf adds up cells. First come the parts with the largest share of the candidate.
func partsOf(cells []staging.Status) (parts []part) {
	indexes := map[string]int{}
	for i := range cells {
		c := &cells[i]
		decision := fmt.Sprint(c.Setting, c.Origin, c.File)
		n, ok := indexes[decision]
		if !ok {
			n = len(parts)
			parts = append(parts, part{Status: staging.Status{Setting: c.Setting, Origin: c.Origin, File: c.File}})
			indexes[decision] = n
		}
		parts[n].add(c)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.Share(), a.Share()) })
	return parts
}
