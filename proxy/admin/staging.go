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

// Limits of the texts of a change, in bytes.
const (
	maxWho = 64
	maxWhy = 300
)

// stagingReport is the response of /staging.
type stagingReport struct {
	staging.Snapshot
	Findings *compare.Report `json:"findings,omitempty"` // nil: nothing is compared
}

func stagingOff(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, Refusal{Code: "staging_off", Message: "staging by HTTP is off: admin.token is not set"})
}

// staging serves /staging: GET returns the matrix; POST changes it and returns it.
func (a *Admin) staging(w http.ResponseWriter, r *http.Request) {
	if refused := a.doStaging(w, r); refused != nil {
		a.logRefused(r, "staging refused", refused)
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
	refused := readJSON(w, r, &c, BadStaging, `methods, resources, languages, state, percent, by, who, why and force, as {"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = a.CheckStaging(&c, now)
	}
	if refused == nil {
		refused = a.ChangeStaging(r, c, "http")
	}
	return refused
}

// Matrix returns a snapshot of the matrix; the zero Snapshot without a candidate.
func (a *Admin) Matrix() staging.Snapshot {
	if a.options.Staging == nil {
		return staging.Snapshot{}
	}
	return a.options.Staging.Snapshot()
}

// NoCandidate is the refusal where no candidate is configured.
var NoCandidate = &Refusal{http.StatusNotFound, "no_candidate", "there is no candidate: staging.candidate is empty"}

func BadStaging(message string) *Refusal {
	return &Refusal{http.StatusBadRequest, "invalid_staging", message}
}

// StagingChange is a requested change of a part of the matrix. What the selection leaves
// out means all.
type StagingChange struct {
	staging.Selection
	staging.Setting
	Who   string `json:"who"` // "" is "admin"
	Why   string `json:"why"`
	Force bool   `json:"force"` // also if reads and writes would go to different backends
}

// CheckStaging sets defaults of a change and validates it. Messages give the position of an
// unknown name, and do not quote it.
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
		return BadStaging("who is reserved for automatic changes")
	case a.options.Token != "" && strings.Contains(c.Who+" "+c.Why, a.options.Token):
		return BadStaging("who and why are shown to every operator: they must not contain secrets")
	}
	if err := c.Check(); err != nil {
		return BadStaging(err.Error())
	}
	return nil
}

// badNames refuses unknown names, and an empty list; nil means all.
func badNames[T ~string](member string, names, known []T) *Refusal {
	list := make([]string, len(known))
	for i, k := range known {
		list[i] = string(k)
	}
	if names != nil && len(names) == 0 {
		return BadStaging(fmt.Sprintf("%s is empty: want some of %s", member, strings.Join(list, ", ")))
	}
	for i, g := range names {
		if !slices.Contains(known, g) {
			return BadStaging(fmt.Sprintf("%s, number %d, is not one of %s", member, i+1, strings.Join(list, ", ")))
		}
	}
	return nil
}

// badText refuses text that is not one short printable line.
func badText(member, text string, most int) *Refusal {
	if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return BadStaging(fmt.Sprintf("%s is not a line of at most %d bytes", member, most))
	}
	return nil
}

// ChangeStaging applies a change that [Admin.CheckStaging] accepted. from is logged.
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
