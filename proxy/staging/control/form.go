package control

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// ReadForm implements [admin.Migration]. A missing field selects nothing, where in JSON it selects all.
func (c *Control) ReadForm(f url.Values) (admin.Staged, *admin.Refusal) {
	change, refused := c.readChange(f)
	if refused != nil {
		return admin.Staged{}, refused
	}
	staged := admin.Staged{
		Change: change,
		Force:  change.Force,
		Apply:  func(r *http.Request) *admin.Refusal { return c.stage(r, change, "page") },
	}
	cells, err := c.Matrix.Try(change.Selection, change.Setting, false)
	switch {
	case errors.Is(err, staging.ErrSplit):
		staged.Split = err.Error()
	case err != nil:
		return admin.Staged{}, refuse(err)
	}
	now := c.Matrix.Snapshot()
	staged.Candidate = now.Candidate
	staged.Cells = slices.DeleteFunc(now.Cells, func(s staging.Status) bool { return !slices.Contains(cells, s.Cell) })
	return staged, nil
}

// readChange reads the change of a form, and validates it.
func (c *Control) readChange(f url.Values) (fleet.Change, *admin.Refusal) {
	if f.Get("version") == "" { // else the form is a confirmation of that version
		f.Set("version", strconv.FormatUint(c.Fleet.Status().Version, 10))
	}
	version, err := strconv.ParseUint(f.Get("version"), 10, 64)
	if err != nil {
		return fleet.Change{}, admin.Invalid(invalidStaging, "version is not a number")
	}
	state := f.Get("state")
	if state == string(staging.Canary) { // the fields are there beside other states too
		state += " " + strings.TrimSpace(f.Get("percent")) + "% of " + cmp.Or(f.Get("by"), "clients")
	}
	setting, err := staging.ParseSetting(state)
	if err != nil {
		return fleet.Change{}, admin.Invalid(invalidStaging, err.Error())
	}
	change := fleet.Change{
		Setting: setting,
		Who:     f.Get("who"),
		Why:     f.Get("why"),
		Force:   f.Get("force") == "on",
		Version: version,
	}
	change.Ops = []staging.Op{}
	change.Resources = append([]string{}, f["resources"]...)
	change.Languages = append([]string{}, f["languages"]...)
	for _, op := range f["methods"] {
		change.Ops = append(change.Ops, staging.Op(op))
	}
	refused := c.check(&change)
	return change, refused
}
