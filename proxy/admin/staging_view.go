package admin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/proxy/staging"
)

// Limits of the page; /staging returns all.
const (
	shownChanges = 20
	shownGroups  = 20
)

// stagingView is the tab of the matrix.
type stagingView struct {
	StagingReport
	Parts   []part
	Serving int // cells for which the candidate serves clients
	More    int // groups of findings that are not shown
	Ops     []staging.Op
	States  []staging.State
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
	p.Calls, p.Failures, p.Compared, p.Different = p.Calls+c.Calls, p.Failures+c.Failures, p.Compared+c.Compared, p.Different+c.Different
	p.Requests.Legacy, p.Requests.Candidate = p.Requests.Legacy+c.Requests.Legacy, p.Requests.Candidate+c.Requests.Candidate
	p.Written += c.Written
}

func newStagingView(r StagingReport) *stagingView {
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
	at := map[string]int{}
	for i := range cells {
		c := &cells[i]
		decision := fmt.Sprint(c.Setting, c.Origin, c.File)
		n, ok := at[decision]
		if !ok {
			n, parts = len(parts), append(parts, part{Status: staging.Status{Setting: c.Setting, Origin: c.Origin, File: c.File}})
			at[decision] = n
		}
		parts[n].add(c)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.Share(), a.Share()) })
	return parts
}
