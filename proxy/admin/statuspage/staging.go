package statuspage

import (
	"cmp"
	"slices"

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
	admin.StagingReport
	Parts   []part
	Serving int // cells for which the candidate serves clients
	More    int // groups of findings that are not shown
	Ops     []staging.Op
	States  []staging.State
}

// part are cells with one setting by one decision. Its numbers are the sums of theirs.
type part struct {
	staging.Status
	What, Class string
	cells       []staging.Cell
}

func (p *part) add(c *staging.Status) {
	p.cells = append(p.cells, c.Cell)
	p.Calls, p.Failures, p.Compared, p.Different = p.Calls+c.Calls, p.Failures+c.Failures, p.Compared+c.Compared, p.Different+c.Different
	p.Requests.Legacy, p.Requests.Candidate = p.Requests.Legacy+c.Requests.Legacy, p.Requests.Candidate+c.Requests.Candidate
	p.Written += c.Written
}

func newStagingView(r admin.StagingReport) *stagingView {
	v := &stagingView{StagingReport: r, Ops: staging.Ops, States: staging.States, Parts: partsOf(r.Cells)}
	v.History = v.History[:min(len(v.History), shownChanges)]
	for _, p := range v.Parts {
		if p.Share() > 0 {
			v.Serving += len(p.cells)
		}
	}
	if r.Findings != nil {
		v.More = max(0, len(r.Findings.Groups)-shownGroups)
		r.Findings.Groups = r.Findings.Groups[:len(r.Findings.Groups)-v.More]
	}
	return v
}

// partsOf adds up cells. First come the parts with the largest share of the candidate.
func partsOf(cells []staging.Status) (parts []part) {
	configured := func(s *staging.Status) staging.Setting {
		if s.File != nil {
			return *s.File
		}
		return s.Setting
	}
	for i := range cells {
		c := &cells[i]
		at := slices.IndexFunc(parts, func(p part) bool {
			return p.Setting == c.Setting && p.Origin == c.Origin && configured(&p.Status) == configured(c)
		})
		if at < 0 {
			at, parts = len(parts), append(parts, part{Status: staging.Status{Setting: c.Setting, Origin: c.Origin, File: c.File}, Class: classOf(c)})
		}
		parts[at].add(c)
	}
	for i := range parts {
		parts[i].What = staging.Describe(parts[i].cells)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.Share(), a.Share()) })
	return parts
}

func classOf(c *staging.Status) string {
	switch {
	case c.Who == staging.ByRollback:
		return warn
	case c.Share() > 0:
		return good
	}
	return idle
}
