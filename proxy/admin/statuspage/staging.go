package statuspage

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

// Limits of what the page shows; /staging returns all.
const (
	shownChanges = 30
	shownGroups  = 50
)

// stagingStatus is the tab of the matrix.
type stagingStatus struct {
	Candidate string // "" if there is none: then there are changes alone
	Summary   string
	Shared    bool // the decisions are those of all instances
	Resources []resourceStaging
	Changes   []changeStatus
	Counts    []compare.Count
	Groups    []groupStatus
	More      string // groups that are not shown; "" is none

	Ops       []staging.Op
	Names     []string // of resources
	Languages []string
	States    []staging.State
}

// Hint describes a state to operators.
func (*stagingStatus) Hint(s staging.State) string { return stateHints[s] }

// groupStatus is a group of differences. Its id is stable across updates, so that an open
// group stays open.
type groupStatus struct {
	compare.Group
	ID string
}

// newStagingStatus returns the tab of a matrix.
func newStagingStatus(s staging.Snapshot, d admin.Decisions, findings *compare.Findings, now time.Time) *stagingStatus {
	p := &stagingStatus{
		Candidate: s.Candidate, Shared: d.Shared, Ops: staging.Ops, States: staging.States,
		Names:     s.Resources(),
		Languages: s.Languages(),
	}
	if s.Candidate != "" {
		p.fill(s, findings, now)
	}
	p.Summary += decisionsText(d)
	for _, c := range s.History[:min(len(s.History), shownChanges)] {
		p.Changes = append(p.Changes, newChangeStatus(c, now))
	}
	return p
}

// fill adds the cells of the matrix and the differences.
func (p *stagingStatus) fill(s staging.Snapshot, findings *compare.Findings, now time.Time) {
	there := 0
	for i := range s.Cells {
		c := &s.Cells[i]
		if c.Share() > 0 {
			there++
		}
		if len(p.Resources) == 0 || p.Resources[len(p.Resources)-1].Name != c.Resource {
			p.Resources = append(p.Resources, resourceStaging{Name: c.Resource})
		}
		last := &p.Resources[len(p.Resources)-1]
		last.Cells = append(last.Cells, newCellStatus(c, s.Candidate, now))
	}
	p.Summary = fmt.Sprintf("It serves clients in %d of the %d parts below. Rollbacks since start: %s.", there, len(s.Cells), count64(float64(s.Rollbacks)))
	if n := len(s.Differing()); n > 0 {
		p.Summary += fmt.Sprintf(" %d parts differ from the configuration.", n)
	}
	if findings != nil {
		p.find(findings.Snapshot())
	}
}

func (p *stagingStatus) find(r compare.Report) {
	p.Counts = r.Counts
	for _, g := range r.Groups[:min(len(r.Groups), shownGroups)] {
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "%q %q %q %q", g.Endpoint, g.Language, g.Path, g.Kind) // never fails
		p.Groups = append(p.Groups, groupStatus{g, fmt.Sprintf("found-%x", h.Sum64())})
	}
	if more := len(r.Groups) - len(p.Groups); more > 0 {
		p.More = fmt.Sprintf("%d more groups are at /staging.", more)
	}
	if r.Overflow > 0 {
		p.More = strings.TrimSpace(fmt.Sprintf("%s %s differences were in groups past the limit.", p.More, count64(float64(r.Overflow))))
	}
}

// stateHints describe the states to operators.
var stateHints = map[staging.State]string{
	staging.Legacy:          "The legacy serves all calls.",
	staging.Shadow:          "The legacy serves all calls. Reads are also sent to the candidate, and the responses are compared.",
	staging.Canary:          "The candidate serves that percentage: of the clients, always the same ones; or of the requests that read without credentials.",
	staging.New:             "The candidate serves all calls.",
	staging.NewWithFallback: "The candidate serves all calls; the legacy serves reads that the candidate fails.",
}
