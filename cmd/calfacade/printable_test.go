package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/logging"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/survey"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
)

// hostile is a title as somebody may write it: it would clear a terminal, set its title, hide what is
// before it and turn the line around.
const hostile = "A\x1b[2J\x1b]0;x\a\rB\x7f\u009b31mC\u202eD\nE"

// TestTerminals: no text of a site or of somebody else reaches a terminal as a command.
func TestTerminals(t *testing.T) {
	outputs := map[string]func(*bytes.Buffer) error{
		"diff": func(b *bytes.Buffer) error {
			var r survey.DiffReport
			r.Headline = "h"
			subject := compare.Subject{Resource: "events", Member: hostile, Kind: compare.Value}
			r.Groups = []compare.Group{{Subject: subject}}
			r.Findings = []compare.Finding{{Subject: subject, ID: "1", Name: hostile, Want: hostile, Got: "g"}}
			r.Failures = []compare.Failure{{Language: "en", Resource: "events", Call: "c", Of: hostile, Why: "w"}}
			return r.Print(b)
		},
		"stage": func(b *bytes.Buffer) error {
			s := control.Overview{Status: fleet.Status{Shared: true, ReadOnly: &staging.Change{Who: hostile, Why: hostile}}}
			s.Snapshot = staging.Snapshot{Candidate: "new", Cells: []staging.Status{{Origin: staging.Origin{Why: hostile}}},
				History: []staging.Change{{Who: hostile, Why: hostile, Instance: hostile}}}
			return errors.Join(printMatrix(b, s), printStageLog(b, s))
		},
		"a command": func(b *bytes.Buffer) error {
			return process{stdout: b}.print(false, nil, nil, purgeReport{Purged: []string{hostile}}.print)
		},
		"a purge that is refused": func(b *bytes.Buffer) error {
			site := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_ = json.NewEncoder(w).Encode(map[string]string{"code": "x", "message": hostile})
			}))
			env := []string{"CALFACADE_ADMIN_LISTEN=" + strings.TrimPrefix(site, "http://"), "CALFACADE_ADMIN_TOKEN=" + processtest.TestToken}
			if run(t.Context(), []string{"purge", "--config", processtest.WriteConfig(t, site, ""), "--all"}, env, nil, b, b) != exitFail ||
				!strings.Contains(b.String(), "(x)") {
				t.Errorf("%q", b.String())
			}
			return nil
		},
		"log": func(b *bytes.Buffer) error {
			log, stop := logging.Open(config.Log{Level: "info", Format: "console"}, b, nil)
			log.Warn(hostile, zap.String("title", hostile))
			return stop()
		},
	}
	for name, print := range outputs {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: %q", name, b.String()[i:])
		}
	}
}
