package admin

import (
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/calfacade/calfacade/proxy/telemetry"
)

// profile serves /debug/pprof/. Profiles reveal code and memory, and cost time.
func (a *Admin) profile(w http.ResponseWriter, r *http.Request) {
	if refused := a.refuse(w, r, telemetry.PprofPlace); refused != nil {
		writeJSON(w, refused.Status, refused)
		return
	}
	switch strings.TrimPrefix(r.URL.Path, "/debug/pprof/") {
	case "cmdline":
		pprof.Cmdline(w, r)
	case "profile":
		pprof.Profile(w, r)
	case "symbol":
		pprof.Symbol(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		pprof.Index(w, r)
	}
}
