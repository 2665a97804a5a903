package statuspage

import (
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cache"
	"github.com/calfacade/calfacade/proxy/admin"
)

// maxFormTags limits the tags of one purge of the page, which shows all of them for
// confirmation.
const maxFormTags = 100

// readAction reads and validates a form, and adds the texts of the confirmation.
func (p *page) readAction(f url.Values) (action, *admin.Refusal) {
	do := action{Do: f.Get("do"), Soft: f.Get("soft") == "on", Back: "./"}
	switch do.Do {
	case purgeAll:
		do.Question = "Purge everything?"
		do.Hint = "Every response is fetched from the site again, which puts load on it."
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
		do.Hint = "Every response that shows any of them is fetched from the site again."
	case readOnly, readWrite:
		do.Soft = false
		if p.control == nil {
			return do, &admin.Refusal{Status: http.StatusNotFound, Code: "no_switch", Message: "there is no switch for writes"}
		}
		do.Question, do.Hint = "Refuse writes?", "Clients get 503 for each write, from this instance alone, until you switch back or the process ends."
		if do.Do == readWrite {
			do.Question, do.Hint = "Accept writes again?", "This instance sends them to the site."
		}
		if p.options.Fleet.Shared() {
			do.Hint = map[string]string{
				readOnly:  "Clients get 503 for each write, from every instance, until you switch back.",
				readWrite: "Every instance sends them to the site, unless its configuration has mode: read_only.",
			}[do.Do]
		}
	case setStage:
		do.Soft = false
		return p.readStaging(do, f)
	default:
		return do, &admin.Refusal{Status: http.StatusBadRequest, Code: "no_action", Message: "there is no such action"}
	}
	if do.Soft {
		do.Hint = "Purged responses may still be served as stale while they are fetched again."
	}
	return do, nil
}

// showConfirm serves the confirmation of an action.
func (p *page) showConfirm(w http.ResponseWriter, r *http.Request, v viewer) {
	do, refused := p.readAction(r.URL.Query())
	if v.Form == "" {
		refused = &admin.Refusal{Status: http.StatusForbidden, Code: "no_session", Message: "sign in with the admin.token to use buttons"}
	}
	if refused != nil {
		showMessage(w, refused.Status, "Refused", refused.Message)
		return
	}
	do.Form = v.Form
	show(w, http.StatusOK, "confirm.html", do)
}

// act carries out a confirmed action.
func (p *page) act(w http.ResponseWriter, r *http.Request, v viewer) {
	if v.Form == "" || !equal(r.PostForm.Get("form"), v.Form) {
		showMessage(w, http.StatusForbidden, "Refused", "The form does not belong to your session. Go back, reload the page and try again.")
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
		if refused := p.actReadOnly(r, do.Do == readOnly); refused != nil {
			showMessage(w, refused.Status, "Refused", refused.Message)
			return
		}
		p.options.Log.Warn("switched by the status page", zap.String("to", do.Do), zap.String("client", admin.Hostname(r.RemoteAddr)))
	case setStage:
		if refused := p.actStaging(r, do); refused != nil {
			showMessage(w, refused.Status, "Refused", refused.Message)
			return
		}
	}
	seeOther(w, do.Back+"?done="+do.Do)
}

// byPage is the author of what the page changes without asking for a name.
const byPage = "status page"

// actReadOnly switches read-only mode of all instances, or without Redis of this one.
func (p *page) actReadOnly(r *http.Request, on bool) *admin.Refusal {
	if !p.options.Fleet.Shared() {
		p.control.SetReadOnly(on)
	}
	if _, err := p.options.Fleet.SetReadOnly(r.Context(), on, byPage, ""); err != nil {
		return admin.RefuseStaging(err)
	}
	return nil
}
