package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/calfacade/calfacade/proxy/staging"
)

// Limits of the page; /staging returns all.
const (
	shownChanges = 20
	shownGroups  = 20
)

// tab is the tab of the matrix on the status page.
type tab struct {
	Overview
	Parts  []part
	More   int // groups of findings that are not shown
	Ops    []staging.Op
	States []staging.State
}

// Tab implements [admin.Migration].
func (c *Control) Tab(ctx context.Context) any {
	r := c.report(ctx)
	v := &tab{Overview: r, Ops: staging.Ops, States: staging.States, Parts: partsOf(r.Cells)}
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
