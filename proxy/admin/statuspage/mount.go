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

// Mount adds the status page to an admin interface.
func Mount(a *admin.Admin, o Options) {
	p := &page{admin: a, options: a.Options(), state: o.State, control: o.Switch, config: o.Config, zone: o.Zone}
	p.mount()
}

func (p *page) mount() {
	toStatus := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { seeOther(w, to) }
	}
	p.admin.Handle("GET /{$}", toStatus("status/"))
	p.admin.Handle("GET /status", toStatus("status/"))
	p.admin.Handle("GET "+statusPath+"{$}", p.forViewers(p.showStatus))
	p.admin.Handle("GET "+statusPath+"staging", p.forViewers(p.showStaging))
	p.admin.Handle("GET "+statusPath+"confirm", p.forViewers(p.showConfirm))
	p.admin.Handle("GET "+statusPath+"sign-in", p.showSignIn)
	p.admin.Handle("POST "+statusPath+"sign-in", form(p.signIn))
	p.admin.Handle("POST "+statusPath+"sign-out", form(p.signOut))
	p.admin.Handle("POST "+statusPath+"do", form(p.forViewers(p.act)))
	p.admin.Handle("GET "+statusPath+"{file}", statusFile)
}
