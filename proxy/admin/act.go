package admin

import (
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
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
	Do     string
	Back   string     // page that the form is on
	Fields url.Values // of the form, which the confirmation repeats: all but the choice to split (force)
	Shared bool       // the action concerns all instances
	Purge  cache.Purge
	Staged
}

// readAction reads and validates a form.
func (a *Admin) readAction(f url.Values) (do action, refused *Refusal) {
	do = action{Do: f.Get("do"), Back: "./", Fields: f, Shared: a.decisions.Shared()}
	if a.Token == "" { // such an operator has no session
		return do, &Refusal{Status: http.StatusForbidden, Message: "Set admin.token and sign in with it to use buttons."}
	}
	do.Purge = cache.Purge{All: do.Do == purgeAll, Soft: f.Get("soft") == "on", From: "page"}
	switch {
	case do.Do == purgeAll, do.Do == readOnly, do.Do == readWrite:
	case do.Do == purgeItem:
		do.Purge.Tags, refused = a.itemTags(f.Get("kind"), strings.TrimSpace(f.Get("item")))
	case do.Do == setStage && a.Migration != nil:
		do.Back = "staging"
		do.Staged, refused = a.Migration.ReadForm(f)
	default:
		refused = &Refusal{Status: http.StatusBadRequest, Message: "there is no such action"}
	}
	f.Del("force")
	return do, refused
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
	case do.Split != "" && !do.Force:
		refused = &Refusal{Status: http.StatusConflict, Message: do.Split}
	case do.Do == setStage:
		refused = do.Apply(r)
	case !a.purgeCache(r, do.Purge):
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
	if !a.decisions.Shared() {
		a.Switch.SetReadOnly(mode == readOnly)
	}
	if refused := a.decisions.SetReadOnly(r.Context(), mode == readOnly, byPage); refused != nil {
		return refused
	}
	a.Log.Warn("switched by the status page", zap.String("to", mode), zap.String("client", Hostname(r.RemoteAddr)))
	return nil
}
