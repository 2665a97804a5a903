package control

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// Change implements [admin.Migration].
func (c *Control) Change(w http.ResponseWriter, r *http.Request) *admin.Refusal {
	var change fleet.Change
	refused := admin.ReadJSON(w, r, &change, invalidStaging,
		`methods, resources, languages, state, percent, by, who, why, version and force, as `+
			`{"resources":["events"],"state":"canary","percent":10}`)
	if refused == nil {
		refused = c.check(&change)
	}
	if refused == nil {
		refused = c.stage(r, change, "http")
	}
	return refused
}

// Limits of the texts of a change, in bytes.
const (
	maxWho = 64
	maxWhy = 300
)

// check sets defaults of a change and validates it. Messages give the position of an
// unknown name, and do not quote the name.
func (c *Control) check(change *fleet.Change) *admin.Refusal {
	now := c.Matrix.Snapshot()
	if now.Candidate == "" {
		return NoCandidate
	}
	change.Who = cmp.Or(strings.TrimSpace(change.Who), "admin")
	change.Why = strings.TrimSpace(change.Why)
	for _, refused := range []*admin.Refusal{
		badNames("methods", change.Ops, staging.Ops),
		badNames("resources", change.Resources, now.Resources()),
		badNames("languages", change.Languages, now.Languages()),
		badNames("state", []staging.State{change.State}, staging.States),
		badText("who", change.Who, maxWho),
		badText("why", change.Why, maxWhy),
	} {
		if refused != nil {
			return refused
		}
	}
	switch {
	case change.Who == staging.ByConfiguration || change.Who == staging.ByRollback || change.Who == fleet.ByRedis:
		return admin.Invalid(invalidStaging, "who is reserved for automatic changes")
	case c.Token != "" && strings.Contains(change.Who+" "+change.Why, c.Token):
		return admin.Invalid(invalidStaging, "who and why are shown to every operator: they must not contain secrets")
	}
	if err := change.Check(); err != nil {
		return admin.Invalid(invalidStaging, err.Error())
	}
	return nil
}

// badNames refuses unknown names, and an empty list; nil means all.
func badNames[T ~string](member string, names, allowed []T) *admin.Refusal {
	list := make([]string, len(allowed))
	for i, k := range allowed {
		list[i] = string(k)
	}
	if names != nil && len(names) == 0 {
		return admin.Invalid(invalidStaging, fmt.Sprintf("%s is empty: want some of %s", member, strings.Join(list, ", ")))
	}
	for i, g := range names {
		if !slices.Contains(allowed, g) {
			return admin.Invalid(invalidStaging, fmt.Sprintf("%s, number %d, is not one of %s", member, i+1, strings.Join(list, ", ")))
		}
	}
	return nil
}

// badText refuses text that is not one short printable line.
func badText(member, text string, limit int) *admin.Refusal {
	if len(text) > limit || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return admin.Invalid(invalidStaging, fmt.Sprintf("%s is not a line of at most %d bytes", member, limit))
	}
	return nil
}

// stage applies a change that [Control.check] accepted. source is logged.
func (c *Control) stage(r *http.Request, change fleet.Change, source string) *admin.Refusal {
	version, err := c.Fleet.Stage(r.Context(), change)
	if err != nil {
		return refuse(err)
	}
	c.Log.Info("staging changed", zap.String("client", admin.Hostname(r.RemoteAddr)), zap.String("from", source),
		zap.String("who", change.Who),
		zap.Stringer("to", change.Setting), zap.Bool("force", change.Force), zap.Uint64("version", version))
	return nil
}
