package statuspage

import (
	"fmt"
	"hash/fnv"
	"slices"
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

type resourceStaging struct {
	Name  string
	Cells []cellStatus
}

type cellStatus struct {
	staging.Cell
	State         string
	Share         int // percent
	Class         string
	Of            string // what Share is a share of
	Measured      string // share of the candidate; "" if there were no requests
	Failed        portion
	Differs       portion
	Since         moment
	By, Why, Note string
	Configured    string // state of the configuration, where that is another
}

// portion is a part of what was counted.
type portion struct{ Value, Of string }

func portionOf(part, all uint64) portion {
	if all == 0 {
		return portion{Value: "-"}
	}
	return portion{inPercent(100 * float64(part) / float64(all)), count64(float64(part)) + " of " + count64(float64(all))}
}

type changeStatus struct {
	Version       string // of the decisions; "-": of this instance
	When          moment
	Who, What, To string
	From          string
	Why           string
	Instance      string
}

func newChangeStatus(c staging.Change, now time.Time) changeStatus {
	s := changeStatus{"-", momentOf(c.When, now), c.Who, staging.Describe(c.Cells), c.To.String(), "", c.Why, c.Instance}
	if c.Version > 0 {
		s.Version = count64(float64(c.Version))
	}
	if c.Mode != "" {
		s.What, s.To = "mode", c.Mode
	}
	var from []string
	for _, f := range c.From {
		from = append(from, f.String())
	}
	s.From = strings.Join(from, ", ")
	return s
}

// knownTexts are what operators should know of a certainty.
var knownTexts = map[string]string{
	staging.Held.String():    ", as of when Redis last answered this instance",
	staging.Unknown.String(): " or a later one: Redis does not answer this instance, which refuses writes",
}

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

// decisionsText describes what all instances have decided beside the matrix; "" if each decides
// alone.
func decisionsText(d admin.Decisions) string {
	if !d.Shared {
		return ""
	}
	text := fmt.Sprintf(" Decisions of all instances: version %d%s.", d.Version, knownTexts[d.Known])
	if c := d.ReadOnly; c != nil {
		text += fmt.Sprintf(" Writes are refused since %s by %s.", c.When.UTC().Format(time.DateTime), strings.TrimSuffix(c.Who+": "+c.Why, ": "))
	}
	return text
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

func newCellStatus(c *staging.Status, candidate string, now time.Time) cellStatus {
	s := cellStatus{
		Cell: c.Cell, State: c.Setting.String(), Share: c.Share(), Class: "idle", By: c.Who, Why: c.Why,
		Of: c.By.String(), Measured: measured(c),
		Failed: portionOf(c.Failures, c.Calls), Differs: portionOf(c.Different, c.Compared), Since: momentOf(c.Since, now),
	}
	switch {
	case c.Who == staging.ByRollback:
		s.Class = "warn"
	case s.Share > 0:
		s.Class = "good"
	}
	if c.File != nil {
		s.Configured = c.File.String()
	}
	if c.Written > 0 {
		s.Note = "writes at " + candidate + " alone: " + count64(float64(c.Written))
	}
	return s
}

// measured describes the share of the candidate since the last change.
func measured(c *staging.Status) string {
	if c.Requests.All() == 0 {
		return ""
	}
	p := portionOf(c.Requests.Candidate, c.Requests.All())
	text := fmt.Sprintf("%s, %s requests", p.Value, p.Of)
	if c.Clients != nil {
		text += fmt.Sprintf(", about %s of %s clients", count64(float64(c.Clients.Candidate)), count64(float64(c.Clients.All())))
	}
	return text
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

func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// stateHints describe the states to operators.
var stateHints = map[staging.State]string{
	staging.Legacy:          "The legacy serves all calls.",
	staging.Shadow:          "The legacy serves all calls. Reads are also sent to the candidate, and the responses are compared.",
	staging.Canary:          "The candidate serves that percentage: of the clients, always the same ones; or of the requests that read without credentials.",
	staging.New:             "The candidate serves all calls.",
	staging.NewWithFallback: "The candidate serves all calls; the legacy serves reads that the candidate fails.",
}
