package admin

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/onward"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// targetReport is a target of purges, as GET /purge/targets returns it.
type targetReport struct {
	onward.Status
	Refusals []onward.Letter `json:"refusals"`
}

// replayLimit is how long a replay may take: less than its client waits.
const replayLimit = 25 * time.Second

// targets serves GET /purge/targets.
func (a *Admin) targets(w http.ResponseWriter, r *http.Request) {
	if refused := a.admit(w, r, telemetry.PurgePlace, http.MethodGet); refused != nil {
		a.logRefused(r, "purge targets refused", refused)
		writeJSON(w, refused.Status, refused)
		return
	}
	all := []targetReport{}
	for _, c := range a.options.Onward.Couriers() {
		all = append(all, targetReport{c.Status(), c.Letters(r.Context())})
	}
	writeJSON(w, http.StatusOK, map[string][]targetReport{"targets": all})
}

// replay serves POST /purge/replay.
func (a *Admin) replay(w http.ResponseWriter, r *http.Request) {
	if refused := a.admit(w, r, telemetry.PurgePlace, http.MethodPost); refused != nil {
		a.logRefused(r, "replay of purges refused", refused)
		writeJSON(w, refused.Status, refused)
		return
	}
	writeJSON(w, http.StatusOK, map[string][]onward.Replayed{"replayed": a.Replay(r)})
}

// Replay sends again what targets of purges have refused.
func (a *Admin) Replay(r *http.Request) []onward.Replayed {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), replayLimit)
	defer cancel()
	all := []onward.Replayed{}
	for _, c := range a.options.Onward.Couriers() {
		t := c.Replay(ctx)
		if all = append(all, t); t.Deliveries > 0 {
			a.options.Log.Info("replay of purges", zap.String("client", Hostname(r.RemoteAddr)), zap.String("target", t.Target),
				zap.Int("deliveries", t.Deliveries), zap.Bool("done", t.Done))
		}
	}
	return all
}
