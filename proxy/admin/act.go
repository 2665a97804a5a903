package admin

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// The actions, as forms name them. confirm.html has their texts.
const (
	purgeAll  = "purge-all"
	purgeItem = "purge-item"
	readOnly  = "read-only"
	readWrite = "read-write"
	setStage  = "stage"

	purgePending = "purge-pending" // outcome of a purge that Redis has not taken
)

// action is done by a button of the page, after a confirmation.
type action struct {
	Do        string
	Back      string     // page that the form is on
	Fields    url.Values // of the form, which the confirmation repeats: all but the choice to split (force)
	Shared    bool       // the action concerns all instances
	Purge     cache.Purge
	Change    fleet.Change
	Cells     []staging.Status // that change, as they are now
	Candidate string
	Split     string // why the change needs force; "" without need
}

// readAction reads and validates a form.
func (a *Admin) readAction(f url.Values) (do action, refused *Refusal) {
	do = action{Do: f.Get("do"), Back: "./", Fields: f, Shared: a.Fleet.Shared()}
	if a.Token == "" { // such an operator has no session
		return do, &Refusal{Status: http.StatusForbidden, Message: "Set admin.token and sign in with it to use buttons."}
	}
	do.Purge = cache.Purge{All: do.Do == purgeAll, Soft: f.Get("soft") == "on", From: "page"}
	switch do.Do {
	case purgeAll, readOnly, readWrite:
	case purgeItem:
		do.Purge.Tags, refused = a.itemTags(f.Get("kind"), strings.TrimSpace(f.Get("item")))
	case setStage:
		refused = a.readStaging(&do, f)
	default:
		refused = &Refusal{Status: http.StatusBadRequest, Message: "there is no such action"}
	}
	f.Del("force")
	return do, refused
}

// readStaging reads a form that changes the matrix. A missing field selects nothing, where in JSON it
// selects all.
func (a *Admin) readStaging(do *action, f url.Values) *Refusal {
	if f.Get("version") == "" { // else the form is a confirmation of that version
		f.Set("version", strconv.FormatUint(a.Fleet.Status().Version, 10))
	}
	version, err := strconv.ParseUint(f.Get("version"), 10, 64)
	if err != nil {
		return invalid(invalidStaging, "version is not a number")
	}
	state := f.Get("state")
	if state == string(staging.Canary) { // the fields are there beside other states too
		state += " " + strings.TrimSpace(f.Get("percent")) + "% of " + cmp.Or(f.Get("by"), "clients")
	}
	setting, err := staging.ParseSetting(state)
	if err != nil {
		return invalid(invalidStaging, err.Error())
	}
	c := fleet.Change{Setting: setting, Who: f.Get("who"), Why: f.Get("why"), Force: f.Get("force") == "on", Version: version}
	c.Ops = []staging.Op{}
	c.Resources = append([]string{}, f["resources"]...)
	c.Languages = append([]string{}, f["languages"]...)
	for _, op := range f["methods"] {
		c.Ops = append(c.Ops, staging.Op(op))
	}
	if refused := a.checkStaging(&c); refused != nil {
		return refused
	}
	cells, err := a.Staging.Try(c.Selection, c.Setting, false)
	switch {
	case errors.Is(err, staging.ErrSplit):
		do.Split = err.Error()
	case err != nil:
		return refuseStaging(err)
	}
	now := a.Staging.Snapshot()
	do.Change = c
	do.Back = "staging"
	do.Candidate = now.Candidate
	do.Cells = slices.DeleteFunc(now.Cells, func(c staging.Status) bool { return !slices.Contains(cells, c.Cell) })
	return nil
}

// showConfirm serves the confirmation of an action.
func (a *Admin) showConfirm(w http.ResponseWriter, r *http.Request) {
	do, refused := a.readAction(r.URL.Query())
	if refused != nil {
		showRefusal(w, refused.Status, refused.Message)
		return
	}
	show(w, http.StatusOK, "confirm.html", do)
}

// act carries out a confirmed action.
func (a *Admin) act(w http.ResponseWriter, r *http.Request) {
	do, refused := a.readAction(r.PostForm)
	done := do.Do
	switch {
	case refused != nil:
	case do.Do == readOnly, do.Do == readWrite:
		refused = a.switchWrites(r, do.Do)
	case do.Split != "" && !do.Change.Force:
		refused = &Refusal{Status: http.StatusConflict, Message: do.Split}
	case do.Do == setStage:
		refused = a.stage(r, do.Change, "page")
	case !a.purge(r, do.Purge):
		done = purgePending
	}
	if refused != nil {
		showRefusal(w, refused.Status, refused.Message)
		return
	}
	seeOther(w, do.Back+"?done="+done)
}

// byPage is the author of changes for which the page asks for no name.
const byPage = "status page"

// switchWrites switches read-only mode of all instances, or without Redis of this one.
func (a *Admin) switchWrites(r *http.Request, mode string) *Refusal {
	if !a.Fleet.Shared() {
		a.Switch.SetReadOnly(mode == readOnly)
	}
	if _, err := a.Fleet.SetReadOnly(r.Context(), mode == readOnly, byPage, ""); err != nil {
		return refuseStaging(err)
	}
	a.Log.Warn("switched by the status page", zap.String("to", mode), zap.String("client", hostname(r.RemoteAddr)))
	return nil
}
