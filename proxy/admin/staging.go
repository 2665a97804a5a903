package admin

import (
	"cmp"
	"context"
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
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// StagingReport is the response of /staging.
type StagingReport struct {
	staging.Snapshot
	fleet.Status
	Findings *compare.Report `json:"findings,omitempty"`
}

// stagingReport returns the matrix, the decisions, and the counts and findings of all instances, as of
// the last [fleet.Fleet.Count].
func (a *Admin) stagingReport(ctx context.Context) StagingReport {
	report := StagingReport{Snapshot: a.Staging.Snapshot(), Status: a.Fleet.Status()}
	report.History, _ = a.Fleet.Log(ctx)
	findings := a.Findings.Snapshot()
	report.Findings = &findings
	return report
}

// changeStaging serves POST /staging, a change of the matrix, and returns the matrix. Every request that arrives at
// any instance after the response follows the change.
func (a *Admin) changeStaging(w http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
	var c fleet.Change
	refused = readJSON(w, r, &c, invalidStaging, `methods, resources, languages, state, percent, by, who, why, version and force, as `+
		`{"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = a.checkStaging(&c)
	}
	if refused == nil {
		refused = a.stage(r, c, "http")
	}
	if refused != nil {
		return 0, nil, refused
	}
	return a.serveStaging(w, r)
}

// serveStaging serves GET /staging.
func (a *Admin) serveStaging(_ http.ResponseWriter, r *http.Request) (status int, body any, refused *Refusal) {
	a.Fleet.Count(r.Context(), true) // also an instance without requests shows the latest numbers
	return http.StatusOK, a.stagingReport(r.Context()), nil
}

// Limits of the texts of a change, in bytes.
const (
	maxWho = 64
	maxWhy = 300
)

// NoCandidate is the refusal where no candidate is configured.
var NoCandidate = &Refusal{Status: http.StatusNotFound, Code: "no_candidate", Message: "there is no candidate: staging.candidate is empty"}

const invalidStaging = "invalid_staging"

// checkStaging sets defaults of a change and validates it. Messages give the position of an
// unknown name, and do not quote the name.
func (a *Admin) checkStaging(c *fleet.Change) *Refusal {
	now := a.Staging.Snapshot()
	if now.Candidate == "" {
		return NoCandidate
	}
	c.Who = cmp.Or(strings.TrimSpace(c.Who), "admin")
	c.Why = strings.TrimSpace(c.Why)
	for _, refused := range []*Refusal{
		badNames("methods", c.Ops, staging.Ops),
		badNames("resources", c.Resources, now.Resources()),
		badNames("languages", c.Languages, now.Languages()),
		badNames("state", []staging.State{c.State}, staging.States),
		badText("who", c.Who, maxWho),
		badText("why", c.Why, maxWhy),
	} {
		if refused != nil {
			return refused
		}
	}
	switch {
	case c.Who == staging.ByConfiguration || c.Who == staging.ByRollback || c.Who == fleet.ByRedis:
		return invalid(invalidStaging, "who is reserved for automatic changes")
	case a.Token != "" && strings.Contains(c.Who+" "+c.Why, a.Token):
		return invalid(invalidStaging, "who and why are shown to every operator: they must not contain secrets")
	}
	if err := c.Check(); err != nil {
		return invalid(invalidStaging, err.Error())
	}
	return nil
}

// badNames refuses unknown names, and an empty list; nil means all.
func badNames[T ~string](member string, names, allowed []T) *Refusal {
	list := make([]string, len(allowed))
	for i, k := range allowed {
		list[i] = string(k)
	}
	if names != nil && len(names) == 0 {
		return invalid(invalidStaging, fmt.Sprintf("%s is empty: want some of %s", member, strings.Join(list, ", ")))
	}
	for i, g := range names {
		if !slices.Contains(allowed, g) {
			return invalid(invalidStaging, fmt.Sprintf("%s, number %d, is not one of %s", member, i+1, strings.Join(list, ", ")))
		}
	}
	return nil
}

// badText refuses text that is not one short printable line.
func badText(member, text string, limit int) *Refusal {
	if len(text) > limit || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return invalid(invalidStaging, fmt.Sprintf("%s is not a line of at most %d bytes", member, limit))
	}
	return nil
}

// stage applies a change that [Admin.checkStaging] accepted. source is logged.
func (a *Admin) stage(r *http.Request, c fleet.Change, source string) *Refusal {
	version, err := a.Fleet.Stage(r.Context(), c)
	if err != nil {
		return refuseStaging(err)
	}
	a.Log.Info("staging changed", zap.String("client", hostname(r.RemoteAddr)), zap.String("from", source), zap.String("who", c.Who),
		zap.Stringer("to", c.Setting), zap.Bool("force", c.Force), zap.Uint64("version", version))
	return nil
}

// refuseStaging returns the refusal of a change that failed.
func refuseStaging(err error) *Refusal {
	changed, overtaken := errors.AsType[*fleet.Changed](err)
	unavailable, down := errors.AsType[*fleet.Unavailable](err)
	switch {
	case overtaken:
		return &Refusal{Status: http.StatusConflict, Code: "changed", Message: changed.Error(), Version: changed.Version}
	case down:
		return &Refusal{Status: http.StatusServiceUnavailable, Code: "decisions_unavailable", Message: unavailable.Error()}
	case errors.Is(err, staging.ErrSplit):
		return &Refusal{Status: http.StatusConflict, Code: "split", Message: err.Error()}
	case errors.Is(err, staging.ErrNoCandidate):
		return NoCandidate
	}
	return invalid(invalidStaging, err.Error())
}
