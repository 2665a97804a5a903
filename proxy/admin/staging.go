package admin

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// stagingReport is the response of /staging.
type stagingReport struct {
	staging.Snapshot
	Decisions
	Findings *compare.Report `json:"findings,omitempty"` // nil: nothing is compared
}

// Decisions are whose decisions the matrix has.
type Decisions struct {
	Shared   bool            `json:"shared"`              // those of all instances on one Redis
	Version  uint64          `json:"version"`             // of these; 0: there are none
	Known    bool            `json:"known"`               // Redis answers this instance; else writes are refused during a migration
	ReadOnly *staging.Change `json:"read_only,omitempty"` // the change by which all instances refuse writes
}

// Decisions returns whose decisions the matrix has.
func (a *Admin) Decisions() Decisions {
	s := a.options.Fleet.Status()
	return Decisions{s.Shared, s.Version, s.Known, s.ReadOnly}
}

// aloneWith returns a fleet of this instance.
func aloneWith(m *staging.Matrix) *fleet.Fleet {
	if m == nil {
		m = staging.NewMatrix(time.Now, nil)
	}
	return fleet.New(fleet.Options{Matrix: m})
}

func stagingOff(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, Refusal{Code: "staging_off", Message: "staging by HTTP is off: admin.token is not set"})
}

// staging serves /staging: GET returns the matrix; POST changes it and returns it. Every request
// that arrives at any instance after the response follows the change.
func (a *Admin) staging(w http.ResponseWriter, r *http.Request) {
	if refused := a.doStaging(w, r); refused != nil {
		a.logRefused(r, "staging refused", refused)
		writeJSON(w, refused.Status, refused)
		return
	}
	a.options.Fleet.Count(r.Context(), true) // for the numbers of all instances
	report := stagingReport{Snapshot: a.options.Staging.Snapshot(), Decisions: a.Decisions()}
	report.History, _ = a.options.Fleet.Log(r.Context())
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
	switch {
	case a.options.Staging == nil, r.Method == http.MethodPost && now.Candidate == "":
		return NoCandidate
	case r.Method == http.MethodGet: // without a candidate, too: there are decisions on read-only mode
		return nil
	}
	var c StagingChange
	refused := readJSON(w, r, &c, BadStaging, `methods, resources, languages, state, percent, by, who, why, version and force, as {"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = a.CheckStaging(&c, now)
	}
	if refused != nil {
		return refused
	}
	return a.ChangeStaging(r, c, "http")
}

// Matrix returns a snapshot of the matrix; the zero Snapshot without a candidate.
func (a *Admin) Matrix() staging.Snapshot {
	if a.options.Staging == nil {
		return staging.Snapshot{}
	}
	return a.options.Staging.Snapshot()
}
