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
	Parts  []part
	More   int // groups of findings that are not shown
	Ops    []staging.Op
	States []staging.State
}

func newStagingView(r StagingReport) *stagingView {
	v := &stagingView{StagingReport: r, Ops: staging.Ops, States: staging.States, Parts: partsOf(r.Cells)}
	v.History = v.History[:min(len(v.History), shownChanges)]
	v.More = max(0, len(r.Findings.Groups)-shownGroups)
	r.Findings.Groups = r.Findings.Groups[:len(r.Findings.Groups)-v.More]
	return v
}

// part are cells with one setting by one decision. The numbers are the sums of the cells' numbers.
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

// stagingHealth lists the cells that were rolled back and not changed since, and counts the responses of the
// candidate that failed or differ, each since the last change of the cell's state.
func stagingHealth(s staging.Snapshot) (lines []health) {
	var back, failing, differing part
	for i := range s.Cells {
		c := &s.Cells[i]
		if c.Who == staging.ByRollback {
			back.add(c)
			continue
		}
		if c.Failures > 0 {
			failing.add(c)
		}
		if c.Different > 0 {
			differing.add(c)
		}
	}
	if back.cells != nil {
		lines = append(lines, health{Class: warn, Word: "Rolled back: " + back.What()})
	}
	responses := func(p part, fault string, n, total uint64) {
		if p.cells != nil {
			lines = append(lines, health{
				Class:  warn,
				Word:   "Responses of " + s.Candidate + " " + fault,
				Detail: portion(n, total) + ", " + p.What(),
			})
		}
	}
	responses(failing, "fail", failing.Failures, failing.Calls)
	responses(differing, "differ", differing.Different, differing.Compared)
	return lines
}
