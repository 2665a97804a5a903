package proxy

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
	answerJSON(w, http.StatusNotFound, refusal{Code: "staging_off", Message: "staging by HTTP is off: admin.token is not set"})
}

// staging answers GET /staging with the matrix, and POST likewise, after a change.
func (a *Admin) staging(w http.ResponseWriter, r *http.Request) {
	if refused := a.doStaging(w, r); refused != nil {
		a.tellRefused(r, "staging refused", refused)
		answerJSON(w, refused.status, refused)
		return
	}
	report := stagingReport{Snapshot: a.options.Staging.Snapshot()}
	if a.options.Findings != nil {
		found := a.options.Findings.Snapshot()
		report.Findings = &found
	}
	answerJSON(w, http.StatusOK, report)
}

func (a *Admin) doStaging(w http.ResponseWriter, r *http.Request) *refusal {
	if refused := a.admit(w, r, telemetry.StagingPlace, http.MethodGet, http.MethodPost); refused != nil {
		return refused
	}
	now := a.matrix()
	if now.Candidate == "" {
		return noCandidate
	}
	if r.Method == http.MethodGet {
		return nil
	}
	var c stagingChange
	refused := readJSON(w, r, &c, badStaging, `methods, resources, languages, state, percent, who, why and force, as {"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = a.checkStaging(&c, now)
	}
	if refused == nil {
		refused = a.changeStaging(r, c, "http")
	}
	return refused
}

// matrix is the matrix as it is; without a candidate there is none.
func (a *Admin) matrix() staging.Snapshot {
	if a.options.Staging == nil {
		return staging.Snapshot{}
	}
	return a.options.Staging.Snapshot()
}

// noCandidate refuses what there is nothing to be asked about.
var noCandidate = &refusal{http.StatusNotFound, "no_candidate", "there is no candidate: staging.candidate is empty"}

func badStaging(message string) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_staging", message}
}

// stagingChange is what somebody wants of a part of the matrix; what its selection
// does not name means all.
type stagingChange struct {
	staging.Selection
	staging.Setting
	Who   string `json:"who"` // "" is "admin"
	Why   string `json:"why"`
	Force bool   `json:"force"` // though reads and writes would be split
}

// checkStaging fills in what a change leaves out, and finds what is wrong with it.
// Names that do not exist are told by their place.
func (a *Admin) checkStaging(c *stagingChange, now staging.Snapshot) *refusal {
	c.Who, c.Why = cmp.Or(strings.TrimSpace(c.Who), "admin"), strings.TrimSpace(c.Why)
	refused := cmp.Or(
		badNames("methods", c.Ops, staging.Ops),
		badNames("resources", c.Resources, namesOf(now, func(c staging.Cell) string { return c.Resource })),
		badNames("languages", c.Languages, namesOf(now, func(c staging.Cell) string { return c.Language })),
		badNames("state", []staging.State{c.State}, staging.States),
		badText("who", c.Who, maxWho),
		badText("why", c.Why, maxWhy),
	)
	switch {
	case refused != nil:
		return refused
	case c.Who == staging.ByConfiguration || c.Who == staging.ByRollback:
		return badStaging("who is the name of what changes the matrix by itself")
	case a.options.Token != "" && strings.Contains(c.Who+" "+c.Why, a.options.Token):
		return badStaging("who and why are told to everybody who looks: no secrets")
	}
	if err := c.Check(); err != nil {
		return badStaging(err.Error())
	}
	return nil
}

// badNames refuses what is not one of the known. nil is all of them, but a list
// without any is a mistake.
func badNames[T ~string](member string, given, known []T) *refusal {
	list := make([]string, len(known))
	for i, k := range known {
		list[i] = string(k)
	}
	if given != nil && len(given) == 0 {
		return badStaging(fmt.Sprintf("%s is empty: want some of %s", member, strings.Join(list, ", ")))
	}
	for i, g := range given {
		if !slices.Contains(known, g) {
			return badStaging(fmt.Sprintf("%s, number %d, is not one of %s", member, i+1, strings.Join(list, ", ")))
		}
	}
	return nil
}

// namesOf gives what cells have, in their order.
func namesOf(s staging.Snapshot, of func(staging.Cell) string) []string {
	var names []string
	for _, c := range s.Cells {
		if name := of(c.Cell); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// badText refuses what would not look in a log or on a page as it is.
func badText(member, text string, most int) *refusal {
	if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return badStaging(fmt.Sprintf("%s is not a line of at most %d bytes", member, most))
	}
	return nil
}

// changeStaging makes a change that was checked.
func (a *Admin) changeStaging(r *http.Request, c stagingChange, from string) *refusal {
	if err := a.options.Staging.Set(c.Selection, c.Setting, c.Who, c.Why, c.Force); err != nil {
		return refusedStaging(err)
	}
	a.options.Log.Info("staging changed", zap.String("client", client(r.RemoteAddr)), zap.String("from", from), zap.String("who", c.Who),
		zap.Stringer("to", c.Setting), zap.Bool("force", c.Force))
	return nil
}

func refusedStaging(err error) *refusal {
	switch {
	case errors.Is(err, staging.ErrSplit):
		return &refusal{http.StatusConflict, "split", err.Error()}
	case errors.Is(err, staging.ErrNoCandidate):
		return noCandidate
	}
	return badStaging(err.Error())
}
