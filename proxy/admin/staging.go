package admin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// How many bytes of a change are remembered.
const (
	maxWho = 64
	maxWhy = 300
)

// stagingReport is what /staging answers.
type stagingReport struct {
	staging.Snapshot
	Findings *compare.Report `json:"findings,omitempty"` // nil: nothing is compared
}

func stagingOff(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, Refusal{Code: "staging_off", Message: "staging by HTTP is off: admin.token is not set"})
}

// staging answers GET /staging with the matrix, and POST likewise, after a change.
func (a *Admin) staging(w http.ResponseWriter, r *http.Request) {
	if refused := a.doStaging(w, r); refused != nil {
		a.tellRefused(r, "staging refused", refused)
		writeJSON(w, refused.Status, refused)
		return
	}
	report := stagingReport{Snapshot: a.options.Staging.Snapshot()}
	if a.options.Findings != nil {
		found := a.options.Findings.Snapshot()
		report.Findings = &found
	}
	writeJSON(w, http.StatusOK, report)
}

func (a *Admin) doStaging(w http.ResponseWriter, r *http.Request) *Refusal {
	if refused := a.admit(w, r, telemetry.StagingPlace, http.MethodGet, http.MethodPost); refused != nil {
		return refused
	}
	now := a.Matrix()
	if now.Candidate == "" {
		return NoCandidate
	}
	if r.Method == http.MethodGet {
		return nil
	}
	var c StagingChange
	refused := readJSON(w, r, &c, BadStaging, `methods, resources, languages, state, percent, who, why and force, as {"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = a.CheckStaging(&c, now)
	}
	if refused == nil {
		refused = a.ChangeStaging(r, c, "http")
	}
	return refused
}

// Matrix is the matrix as it is; without a candidate there is none.
func (a *Admin) Matrix() staging.Snapshot {
	if a.options.Staging == nil {
		return staging.Snapshot{}
	}
	return a.options.Staging.Snapshot()
}

// NoCandidate refuses what there is nothing to be asked about.
var NoCandidate = &Refusal{http.StatusNotFound, "no_candidate", "there is no candidate: staging.candidate is empty"}

func BadStaging(message string) *Refusal {
	return &Refusal{http.StatusBadRequest, "invalid_staging", message}
}

// StagingChange is what somebody wants of a part of the matrix; what its selection
// does not name means all.
type StagingChange struct {
	staging.Selection
	staging.Setting
	Who   string `json:"who"` // "" is "admin"
	Why   string `json:"why"`
	Force bool   `json:"force"` // though reads and writes would be split
}

// CheckStaging fills in what a change leaves out, and finds what is wrong with it.
// Names that do not exist are told by their place.
func (a *Admin) CheckStaging(c *StagingChange, now staging.Snapshot) *Refusal {
	c.Who, c.Why = cmp.Or(strings.TrimSpace(c.Who), "admin"), strings.TrimSpace(c.Why)
	refused := cmp.Or(
		badNames("methods", c.Ops, staging.Ops),
		badNames("resources", c.Resources, now.Resources()),
		badNames("languages", c.Languages, now.Languages()),
		badNames("state", []staging.State{c.State}, staging.States),
		badText("who", c.Who, maxWho),
		badText("why", c.Why, maxWhy),
	)
	switch {
	case refused != nil:
		return refused
	case c.Who == staging.ByConfiguration || c.Who == staging.ByRollback:
		return BadStaging("who is the name of what changes the matrix by itself")
	case a.options.Token != "" && strings.Contains(c.Who+" "+c.Why, a.options.Token):
		return BadStaging("who and why are told to everybody who looks: no secrets")
	}
	if err := c.Check(); err != nil {
		return BadStaging(err.Error())
	}
	return nil
}

// badNames refuses what is not one of the known. nil is all of them, but a list
// without any is a mistake.
func badNames[T ~string](member string, given, known []T) *Refusal {
	list := make([]string, len(known))
	for i, k := range known {
		list[i] = string(k)
	}
	if given != nil && len(given) == 0 {
		return BadStaging(fmt.Sprintf("%s is empty: want some of %s", member, strings.Join(list, ", ")))
	}
	for i, g := range given {
		if !slices.Contains(known, g) {
			return BadStaging(fmt.Sprintf("%s, number %d, is not one of %s", member, i+1, strings.Join(list, ", ")))
		}
	}
	return nil
}

// badText refuses what would not look in a log or on a page as it is.
func badText(member, text string, most int) *Refusal {
	if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return BadStaging(fmt.Sprintf("%s is not a line of at most %d bytes", member, most))
	}
	return nil
}

// ChangeStaging makes a change that was checked.
func (a *Admin) ChangeStaging(r *http.Request, c StagingChange, from string) *Refusal {
	if err := a.options.Staging.Set(c.Selection, c.Setting, c.Who, c.Why, c.Force); err != nil {
		return RefuseStaging(err)
	}
	a.options.Log.Info("staging changed", zap.String("client", Hostname(r.RemoteAddr)), zap.String("from", from), zap.String("who", c.Who),
		zap.Stringer("to", c.Setting), zap.Bool("force", c.Force))
	return nil
}

func RefuseStaging(err error) *Refusal {
	switch {
	case errors.Is(err, staging.ErrSplit):
		return &Refusal{http.StatusConflict, "split", err.Error()}
	case errors.Is(err, staging.ErrNoCandidate):
		return NoCandidate
	}
	return BadStaging(err.Error())
}
