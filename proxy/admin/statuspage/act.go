package statuspage

import (
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
)

// Switch refuses writes, or takes them again. It is the facade.
type Switch interface {
	ReadOnly() bool
	SetReadOnly(on bool)
}

// maxFormTags is how many tags one purge of the page may have: all are shown
// before it is made.
const maxFormTags = 100

// action is what a button of the page does, once it is confirmed.
type action struct {
	Do   string // one of the words below
	Soft bool
	Tags []string

	Form     string // of the session
	Question string
	Hint     string
	Back     string // the page that the form is on

	change admin.StagingChange
	Split  string   // why it takes force
	Lines  []string // what is changed
	Fields []field  // that say so once more
}

// field is one of a form that is not shown.
type field struct{ Name, Value string }

// The actions, as forms name them.
const (
	purgeAll  = "purge-all"
	purgeTags = "purge-tags"
	readOnly  = "read-only"
	readWrite = "read-write"
	setStage  = "stage"
)

// doneTexts are what the page says after an action.
var doneTexts = map[string]string{
	purgeAll:  "Everything was purged.",
	purgeTags: "The tags were purged.",
	readOnly:  "Writes are refused now.",
	readWrite: "Writes are taken again.",
	setStage:  "The matrix was changed.",
}

// readAction reads and checks what a form wants, with the text that asks for a
// confirmation.
func (p *page) readAction(f url.Values) (action, *admin.Refusal) {
	do := action{Do: f.Get("do"), Soft: f.Get("soft") == "on", Back: "./"}
	switch do.Do {
	case purgeAll:
		do.Question = "Purge everything?"
		do.Hint = "Every answer is fetched from the site again, which may be slow for it."
	case purgeTags:
		tags := strings.FieldsFunc(f.Get("tags"), func(r rune) bool { return r == ',' || r <= ' ' })
		if len(tags) == 0 || len(tags) > maxFormTags {
			return do, &admin.Refusal{Status: http.StatusBadRequest, Code: "invalid_purge", Message: "want one tag, or up to 100 with spaces between them"}
		}
		sorted, refused := p.admin.Tags(tags)
		if refused != nil {
			return do, refused
		}
		do.Tags, do.Question = sorted, "Purge these tags?"
		do.Hint = "Every answer that shows any of them is fetched from the site again."
	case readOnly, readWrite:
		do.Soft = false
		if p.control == nil {
			return do, &admin.Refusal{Status: http.StatusNotFound, Code: "no_switch", Message: "there is no switch for writes"}
		}
		do.Question, do.Hint = "Refuse writes?", "Clients get 503 for each, from this copy alone, until it is switched back or the process ends."
		if do.Do == readWrite {
			do.Question, do.Hint = "Take writes again?", "They go to the site, from this copy."
		}
	case setStage:
		do.Soft = false
		return p.readStaging(do, f)
	default:
		return do, &admin.Refusal{Status: http.StatusBadRequest, Code: "no_action", Message: "there is no such action"}
	}
	if do.Soft {
		do.Hint = "What is purged may still be given as stale, while it is fetched again."
	}
	return do, nil
}

// showConfirm asks before anything is done.
func (p *page) showConfirm(w http.ResponseWriter, r *http.Request, v viewer) {
	do, refused := p.readAction(r.URL.Query())
	if v.Form == "" {
		refused = &admin.Refusal{Status: http.StatusForbidden, Code: "no_session", Message: "buttons are for who has signed in with the admin.token"}
	}
	if refused != nil {
		showMessage(w, refused.Status, "Refused", refused.Message)
		return
	}
	do.Form = v.Form
	show(w, http.StatusOK, "confirm.html", do)
}

// act does what was confirmed.
func (p *page) act(w http.ResponseWriter, r *http.Request, v viewer) {
	if v.Form == "" || !equal(r.PostForm.Get("form"), v.Form) {
		showMessage(w, http.StatusForbidden, "Refused", "The form is not of your session. Go back, load the page again and try once more.")
		return
	}
	do, refused := p.readAction(r.PostForm)
	if refused != nil {
		showMessage(w, refused.Status, "Refused", refused.Message)
		return
	}
	switch do.Do {
	case purgeAll, purgeTags:
		p.admin.Purge(r, cache.Purge{Tags: do.Tags, All: do.Do == purgeAll, Soft: do.Soft, From: "page"})
	case readOnly, readWrite:
		p.control.SetReadOnly(do.Do == readOnly)
		p.options.Log.Warn("switched by the status page", zap.String("to", do.Do), zap.String("client", admin.Hostname(r.RemoteAddr)))
	case setStage:
		if refused := p.actStaging(r, do); refused != nil {
			showMessage(w, refused.Status, "Refused", refused.Message)
			return
		}
	}
	seeOther(w, do.Back+"?done="+do.Do)
}
