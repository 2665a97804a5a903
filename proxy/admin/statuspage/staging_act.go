package statuspage

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
)

// readStaging reads and validates a form that changes the matrix. A missing field selects
// nothing, where in JSON it selects all.
func (p *page) readStaging(do action, f url.Values) (action, *admin.Refusal) {
	now := p.admin.Matrix()
	if now.Candidate == "" {
		return do, admin.NoCandidate
	}
	percent, err := strconv.Atoi(strings.TrimSpace(f.Get("percent")))
	if err != nil && f.Get("percent") != "" {
		return do, admin.BadStaging("percent is not a number")
	}
	version := p.admin.Decisions().Version
	if text := f.Get("version"); text != "" { // of the confirmation page
		if version, err = strconv.ParseUint(text, 10, 64); err != nil {
			return do, admin.BadStaging("version is not a number")
		}
	}
	c := admin.StagingChange{Version: version, Who: f.Get("who"), Why: f.Get("why"), Force: f.Get("force") == "on"}
	c.State = staging.State(f.Get("state"))
	if c.State == staging.Canary { // the field is there beside other states too
		c.Percent = percent
		_ = c.Setting.By.UnmarshalText([]byte(f.Get("by"))) // never fails
	}
	c.Ops, c.Resources, c.Languages = chosen[staging.Op](f["methods"]), chosen[string](f["resources"]), chosen[string](f["languages"])
	if refused := p.admin.CheckStaging(&c, now); refused != nil {
		return do, refused
	}
	cells, err := p.options.Staging.Try(c.Selection, c.Setting, false)
	switch {
	case errors.Is(err, staging.ErrSplit):
		do.Split = err.Error()
	case err != nil:
		return do, admin.RefuseStaging(err)
	}
	do.change, do.Back = c, "staging"
	do.Question, do.Hint = "Change staging to "+c.Setting.String()+"?", stateHints[c.State]
	do.Lines = linesOf(now, cells)
	do.Fields = []field{
		{"methods", joined(c.Ops)}, {"resources", joined(c.Resources)}, {"languages", joined(c.Languages)},
		{"version", strconv.FormatUint(version, 10)}, {"state", string(c.State)}, {"percent", strconv.Itoa(c.Percent)}, {"by", c.Setting.By.String()}, {"who", c.Who}, {"why", c.Why},
	}
	return do, nil
}

// chosen gives the values of boxes, or of the one field that repeats them.
func chosen[T ~string](values []string) []T {
	list := []T{}
	for _, v := range strings.Fields(strings.Join(values, " ")) {
		list = append(list, T(v))
	}
	return list
}

func joined[T ~string](list []T) string {
	var all []string
	for _, v := range list {
		all = append(all, string(v))
	}
	return strings.Join(all, " ")
}

// linesOf describes the present state of each cell, and writes that only the candidate has.
func linesOf(now staging.Snapshot, cells []staging.Cell) []string {
	var lines []string
	for i := range now.Cells {
		c := &now.Cells[i]
		for _, chosen := range cells {
			if c.Cell != chosen {
				continue
			}
			line := staging.Describe([]staging.Cell{chosen}) + ", now " + c.Setting.String()
			if c.Written > 0 {
				line += fmt.Sprintf("; writes at %s alone: %s", now.Candidate, count64(float64(c.Written)))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// actStaging applies a confirmed change.
func (p *page) actStaging(r *http.Request, do action) *admin.Refusal {
	if do.Split != "" && !do.change.Force {
		return &admin.Refusal{Status: http.StatusConflict, Code: "split", Message: do.Split}
	}
	return p.admin.ChangeStaging(r, do.change, "page")
}
