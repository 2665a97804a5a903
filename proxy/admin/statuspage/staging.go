package statuspage

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Limits of the page; /staging returns all.
const (
	shownChanges = 20
	shownGroups  = 20
)

// stagingView is the tab of the matrix.
type stagingView struct {
	staging.Snapshot
	admin.Decisions
	Parts    []part
	Serving  int // cells for which the candidate serves clients
	Findings *compare.Report
	More     int // groups of findings that are not shown
	Ops      []staging.Op
	States   []staging.State
}

// part are cells with one setting by one decision. Its numbers are the sums of theirs.
type part struct {
	staging.Status
	What, Class string
}

func newStagingView(s staging.Snapshot, d admin.Decisions, findings *compare.Findings) *stagingView {
	v := &stagingView{Snapshot: s, Decisions: d, Ops: staging.Ops, States: staging.States, Parts: partsOf(s.Cells)}
	v.History = v.History[:min(len(v.History), shownChanges)]
	for i := range s.Cells {
		if s.Cells[i].Share() > 0 {
			v.Serving++
		}
	}
	v.Findings = new(compare.Report)
	if findings != nil {
		*v.Findings = findings.Snapshot()
		v.More = max(0, len(v.Findings.Groups)-shownGroups)
		v.Findings.Groups = v.Findings.Groups[:len(v.Findings.Groups)-v.More]
	}
	return v
}

// partsOf adds up cells. First come the parts with the largest share of the candidate.
func partsOf(cells []staging.Status) (parts []part) {
	type decision struct {
		staging.Setting
		staging.Origin
		file string // setting of the configuration, where that is another
	}
	var all []decision
	of := map[decision][]staging.Cell{}
	for _, c := range cells {
		d := decision{c.Setting, c.Origin, ""}
		if c.File != nil {
			d.file = c.File.String()
		}
		i := slices.Index(all, d)
		if i < 0 {
			i = len(all)
			all, parts = append(all, d), append(parts,
				part{Status: staging.Status{Setting: c.Setting, Origin: c.Origin, File: c.File}, Class: classOf(c)})
		}
		of[d] = append(of[d], c.Cell)
		sum := &parts[i]
		sum.What = staging.Describe(of[d])
		sum.Calls, sum.Failures, sum.Compared, sum.Different = sum.Calls+c.Calls, sum.Failures+c.Failures, sum.Compared+c.Compared, sum.Different+c.Different
		sum.Requests.Legacy, sum.Requests.Candidate = sum.Requests.Legacy+c.Requests.Legacy, sum.Requests.Candidate+c.Requests.Candidate
		sum.Written += c.Written
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.Share(), a.Share()) })
	return parts
}

func classOf(c staging.Status) string {
	switch {
	case c.Who == staging.ByRollback:
		return "warn"
	case c.Share() > 0:
		return "good"
	}
	return "idle"
}

// findingID is an id of a group that is stable across updates, so that an open group stays open.
func findingID(g compare.Group) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q %q %t %q", g.Resource, g.Member, g.List, g.Kind) // never fails
	return fmt.Sprintf("found-%x", h.Sum64())
}
