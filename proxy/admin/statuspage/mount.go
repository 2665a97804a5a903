package statuspage

import (
	"net/http"
	"time"

	"github.com/calfacade/calfacade/proxy/admin"
)

// Paths on the page are relative, so that it may be published below any other.
const statusPath = "/status/"

// Options configure the page, beside the options of the admin interface.
type Options struct {
	State  *State // outlives the page
	Switch Switch // nil: writes cannot be switched
	Config string // the configuration in force, without secrets

	Zone func(language string) *time.Location // of the site of a language; nil, or a function that returns nil: unknown
}

// Switch refuses writes or accepts them again. The facade implements it.
type Switch interface {
	ReadOnly() bool
	SetReadOnly(on bool)
}

// page is the status page of an admin interface.
type page struct {
	Options
	admin   *admin.Admin
	options admin.Options
}

// Mount adds the status page to an admin interface.
func Mount(a *admin.Admin, o Options) {
	p := &page{o, a, a.Options()}
	toStatus := func(w http.ResponseWriter, _ *http.Request) { seeOther(w, "status/") }
	a.Handle("GET /{$}", toStatus)
	a.Handle("GET /status", toStatus)
	a.Handle("GET "+statusPath+"{$}", p.forViewers(p.showStatus))
	a.Handle("GET "+statusPath+"staging", p.forViewers(p.showStaging))
	a.Handle("GET "+statusPath+"confirm", p.forViewers(p.showConfirm))
	a.Handle("GET "+statusPath+"sign-in", p.showSignIn)
	a.Handle("POST "+statusPath+"sign-in", form(p.signIn))
	a.Handle("POST "+statusPath+"sign-out", form(p.signOut))
	a.Handle("POST "+statusPath+"do", form(p.forViewers(p.act)))
	a.Handle("GET "+statusPath+"{file}", statusFile)
}
