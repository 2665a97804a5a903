//go:build !race

package migration_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/staging"
)

// TestAuditWhileMoving: answers are compared with the site that serves them. During a canary nobody knows
// which one that is.
func TestAuditWhileMoving(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after the other: there is nothing for -race")
	}
	t.Parallel()
	a := newAuditTest(t, `admin: {token: `+processtest.TestToken+`}
backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: "NEXT/wp-json", es: "NEXT/es/wp-json"}}]
staging: {candidate: next}`)
	const languages = "--json --languages es,de"
	stage := func(rules ...staging.Rule) {
		t.Helper()
		a.config.Staging.Rules = rules
		if err := a.service.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	set := func(state staging.State, resources ...string) staging.Rule {
		s := staging.Setting{State: state}
		if state == staging.Canary {
			s.Percent = 50
		}
		return staging.Rule{Selection: staging.Selection{Resources: resources}, Setting: s}
	}
	for _, state := range []staging.State{staging.Legacy, staging.Shadow, staging.New, staging.NewWithFallback} {
		stage(set(state))
		a.run(languages)
		if status, r, out := a.run(languages); status != processtest.StatusOK || r.Audited < 40 || r.Stale+r.Uncertain > 0 {
			t.Errorf("%s: status %d, %s", state, status, out)
		}
	}
	a.next.edit()
	if status, r, out := a.run(languages); status != processtest.StatusFail || r.Findings[0].Language != "es" {
		t.Errorf("edited at the candidate: status %d, %s", status, out)
	}
	stage(set(staging.Legacy), set(staging.Canary, "venues"))
	if status, r, out := a.run(languages); status != processtest.StatusOK || r.Audited < 30 || r.Uncertain != 1 {
		t.Errorf("a canary of venues: status %d, %s", status, out)
	}
	stage(set(staging.Canary))
	if status, r, out := a.run("--json --languages es"); status != processtest.StatusNoVerdict || r.Audited > 0 || r.Uncertain != 5 ||
		!strings.Contains(out, "a canary") {
		t.Errorf("a canary of everything: status %d, %s", status, out)
	}
}

// TestAuditCannotTell: without an answer there is no result.
func TestAuditCannotTell(t *testing.T) {
	t.Parallel()
	nobody := processtest.FreeAddress(t)
	const moving = `languages: [{code: en, root: /wp-json, upstream: "http://NOBODY/wp-json"}]
upstream: {basic_auth: "u:` + auditSecret + `"}
backends: [{name: next, dialect: tribe/events/v1, upstreams: {en: "http://NOBODY/wp-json"}}]
staging: {candidate: next}
listen: NOBODY
public_url: https://api.example.org
`
	for _, test := range []struct{ name, config, want string }{
		{"no token", moving + "admin_listen: NOBODY", "admin.token is empty"},
		{"no admin listener", moving + "admin_listen: ''\nadmin: {token: " + processtest.TestToken + "}", "admin_listen is empty"},
		{"no instance", moving + "admin_listen: NOBODY\nadmin: {token: " + processtest.TestToken + "}", "does not respond"},
		{"no instance, and no candidate", strings.Replace(moving, "candidate: next", "candidate: ''", 1) + "admin_listen: ''",
			"5 calls failed, the first: dial tcp"},
	} {
		a := &auditTest{T: t, file: filepath.Join(t.TempDir(), "config.yaml"), legacy: &auditedSite{url: nobody}}
		a.write(strings.ReplaceAll(test.config, "NOBODY", nobody))
		if status, r, out := a.run("--json"); status != processtest.StatusNoVerdict || r.Audited > 0 || !strings.Contains(out, test.want) {
			t.Errorf("%s: status %d, %s", test.name, status, out)
		}
		if status, _, out := a.run(""); status != processtest.StatusNoVerdict || !strings.Contains(out, test.want) {
			t.Errorf("%s, in words: status %d, %s", test.name, status, out)
		}
	}
}
