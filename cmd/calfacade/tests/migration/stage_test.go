//go:build !race

package migration_test

import (
	"bytes"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/mapping/compare"
	"github.com/calfacade/calfacade/proxy/admin"
	"github.com/calfacade/calfacade/proxy/edge"
	"github.com/calfacade/calfacade/proxy/staging"
	"github.com/calfacade/calfacade/proxy/staging/control"
	"github.com/calfacade/calfacade/proxy/staging/fleet"
	"github.com/calfacade/calfacade/proxy/staging/stagingtest"
	"github.com/calfacade/calfacade/proxy/telemetry"
)

// stageTest is a facade with a candidate that runs in this process, and the file
// that it is configured by.
type stageTest struct {
	*testing.T
	file      string
	matrix    *staging.Matrix
	candidate staging.Candidate
}

const stageConfig = `
public_url: https://api.example.org
languages:
  - {code: en, root: /wp-json, upstream: "https://legacy.example.org/wp-json"}
  - {code: es, root: /es/wp-json, upstream: "https://legacy.example.org/es/wp-json"}
  - {code: de, root: /de/wp-json, upstream: "https://legacy.example.org/de/wp-json"}
`

func newStageTest(t *testing.T, extra string) stageTest {
	doc := stageConfig + extra
	cfg, err := config.Parse("c.yaml", []byte(doc), []string{"CALFACADE_ADMIN_TOKEN=" + processtest.TestToken})
	if err != nil {
		t.Fatal(err)
	}
	m := staging.NewMatrix(func() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }, nil)
	plan := cfg.StagingPlan()
	if cfg.Staging.Candidate != "" {
		plan.Candidate = staging.Candidate{Name: cfg.Staging.Candidate, Place: "elsewhere"}
	}
	m.Configure(plan)
	metrics := telemetry.NewMetrics("")
	url := processtest.Serve(t, admin.New(admin.Options{
		Token:   processtest.TestToken,
		Secrets: edge.NewSecrets(zap.NewNop(), time.Now),
		Client:  func(*http.Request) netip.Addr { return netip.Addr{} },
		Site:    cfg.Languages,
		Migration: &control.Control{
			Matrix:   m,
			Fleet:    fleet.New(fleet.Options{Matrix: m, Log: zap.NewNop()}),
			Findings: new(compare.Findings),
			Token:    processtest.TestToken,
			Log:      zap.NewNop(),
		},
		Metrics: metrics,
		Log:     zap.NewNop(),
		Page:    admin.NewPageState(admin.PageStateOptions{Metrics: metrics}),
	}))
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(doc+"\nadmin_listen: "+strings.TrimPrefix(url,
		"http://")+"\nadmin: {token: "+processtest.TestToken+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return stageTest{T: t, file: file, matrix: m, candidate: plan.Candidate}
}

const withCandidate = `
backends:
  - name: next
    dialect: tribe/events/v1
    upstreams: {en: "https://next.example.org/wp-json", es: "https://next.example.org/es/wp-json"}
staging: {candidate: next}
`

// stage runs the command and returns its exit status and its output.
func (s stageTest) stage(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = processtest.RunCommand(s.Context(), s.T, append([]string{"stage", "--config", s.file}, args...), nil, nil, &out, &errs)
	if text := out.String() + errs.String(); strings.Contains(text, processtest.TestToken) {
		s.Errorf("%s shows the token: %s", args, text)
	}
	return status, out.String(), errs.String()
}

func TestStageCommand(t *testing.T) {
	s := newStageTest(t, withCandidate)
	status, _, stderr := s.stage("--resources", "events", "--languages", "en, es", "--to", "canary 10%", "--who", "anna", "--why",
		"it is time")
	if status != processtest.StatusOK {
		t.Fatal(stderr)
	}
	s.matrix.Answered(s.candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}, true)
	s.matrix.Answered(s.candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}, false)
	s.matrix.Compared(s.candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "es"}, false)
	for _, number := range []uint64{9, 9, 10} {
		stagingtest.Route(s.matrix, s.candidate, staging.Cell{Op: staging.Read, Resource: "events", Language: "es"},
			staging.Client{Number: number})
	}
	stagingtest.Route(s.matrix, s.candidate, staging.Cell{Op: staging.Read, Resource: "venues", Language: "es"}, staging.Client{})
	status, stdout, stderr := s.stage("--languages", "es", "--resources", "events,venues")
	want := `RESOURCE  LANGUAGE  METHOD  STATE                            REQUESTS  FAILED  DIFFER  SINCE                BY
events    es        read    canary 10% (configured: legacy)  2 of 3    1 of 2  0 of 1  2026-05-04 12:00:00  anna: it is time
events    es        write   canary 10% (configured: legacy)  -         -       -       2026-05-04 12:00:00  anna: it is time
venues    es        read    legacy                           0 of 1    -       -       2026-05-04 12:00:00  configuration
venues    es        write   legacy                           -         -       -       2026-05-04 12:00:00  configuration
candidate next, rolled back 0 times, times are UTC
`
	if diff := cmp.Diff(want, stdout); status != processtest.StatusOK || diff != "" {
		t.Errorf("status %d %s (-want +got):\n%s", status, stderr, diff)
	}
	if _, stdout, _ := s.stage(); strings.Count(stdout, "\n") != 2+5*2*2 {
		t.Errorf("the whole matrix is %s", stdout)
	}
	if _, stdout, _ := s.stage("--methods", "write", "--resources", "events", "--to", "new", "--force"); strings.Count(stdout,
		" new ") != 2 || strings.Count(stdout, "\n") != 4 {
		t.Errorf("a change prints %s", stdout)
	}
}

func TestStageCommandJSON(t *testing.T) {
	s := newStageTest(t, withCandidate)
	status, stdout, stderr := s.stage("--resources", "tags", "--languages", "en", "--methods", "write", "--to", "new", "--force", "--json")
	want := `{
  "error": "",
  "candidate": "next",
  "cells": [
    {
      "op": "write",
      "resource": "tags",
      "language": "en",
      "state": "new",
      "since": "2026-05-04T12:00:00Z",
      "who": "admin",
      "calls": 0,
      "failures": 0,
      "compared": 0,
      "different": 0,
      "requests": {
        "legacy": 0,
        "candidate": 0
      },
      "file": {
        "state": "legacy"
      }
    }
  ],
`
	if status != processtest.StatusOK || !strings.HasPrefix(stdout, want) || stderr != "" {
		t.Errorf("status %d %s%s, want\n%s", status, stdout, stderr, want)
	}
	status, stdout, _ = newStageTest(t, "").stage("--json")
	if status != processtest.StatusFail || stdout != "{\n  \"error\": \"there is no candidate: staging.candidate is empty\"\n}\n" {
		t.Errorf("without a candidate: status %d, %s", status, stdout)
	}
}

// TestStageCutOff: an instance that dies while it carries out a change may have made it.
func TestStageCutOff(t *testing.T) {
	s := newStageTest(t, withCandidate)
	dying := processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	data, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("admin_listen: .*").ReplaceAllString(string(data), "admin_listen: "+strings.TrimPrefix(dying, "http://"))
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ step, want string }{
		{"new", "sent no response: EOF: the request may have been carried out, so look before you repeat it"},
		{"", "does not respond: EOF: is calfacade running with this configuration?"},
	} {
		if status, _, stderr := s.stage("--to", test.step); status != processtest.StatusFail || !strings.Contains(stderr, test.want) {
			t.Errorf("--to %q: status %d %s", test.step, status, stderr)
		}
	}
}

// TestStageLogWithoutACandidate: there may be decisions all the same.
func TestStageLogWithoutACandidate(t *testing.T) {
	s := newStageTest(t, "")
	s.matrix.Note(staging.Change{Version: 3, When: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Mode: "read_only", Who: "anna",
		Why: "the big day", Instance: "web1"})
	status, stdout, stderr := s.stage("--log")
	want := `VERSION  TIME                 FROM  TO         WHAT  INSTANCE  BY
3        2026-05-04 12:00:00  -     read_only  mode  web1      anna: the big day
`
	if diff := cmp.Diff(want, stdout); status != processtest.StatusOK || diff != "" {
		t.Errorf("status %d %s (-want +got):\n%s", status, stderr, diff)
	}
}

func TestStageCommandFails(t *testing.T) {
	s := newStageTest(t, withCandidate)
	plain := newStageTest(t, "")
	for _, test := range []struct {
		setup  stageTest
		args   []string
		status int
		want   string
	}{
		{s, []string{"--to", "canary"}, processtest.StatusUsage, "--to: a canary takes 1 to 99 percent of the clients, not 0"},
		{s, []string{"--to", "newer"}, processtest.StatusUsage, `--to: "newer" is not one of [legacy shadow canary new new_with_fallback]`},
		{s, []string{"--who", "anna"}, processtest.StatusUsage, "--who, --why and --force require --to"},
		{s, []string{"--force"}, processtest.StatusUsage, "--who, --why and --force require --to"},
		{s, []string{"surplus"}, processtest.StatusUsage, "want 0 arguments after the flags, got 1"},
		{s, []string{"--resources", "", "--to", "new"}, processtest.StatusUsage, `invalid argument "" for "--resources" flag: the list is empty`},
		{s, []string{"--languages", "en,de", "--to", "new"}, processtest.StatusFail,
			"refused with status 400 (invalid_staging): languages, number 2, is not one of en, es"},
		{s, []string{"--why", processtest.TestToken, "--to", "new"}, processtest.StatusFail,
			"refused with status 400 (invalid_staging): who and why are shown to every operator: they must not contain secrets"},
		{s, []string{"--resources", "tags", "--languages", "en", "--methods", "read", "--to", "new"}, processtest.StatusFail,
			"refused with status 409 (split): reads and writes would go to different backends: tags in en: reads are new, writes are " +
				"legacy"},
		{plain, []string{"--to", "new"}, processtest.StatusFail,
			"refused with status 404 (no_candidate): there is no candidate: staging.candidate is empty"},
		{plain, nil, processtest.StatusFail, "there is no candidate: staging.candidate is empty"},
		{plain, []string{"--to", "new"}, processtest.StatusFail,
			"refused with status 404 (no_candidate): there is no candidate: staging.candidate is empty"},
	} {
		status, stdout, stderr := test.setup.stage(test.args...)
		got, _, _ := strings.Cut(strings.TrimPrefix(stderr, "calfacade stage: "), "\n")
		if status != test.status || got != test.want || stdout != "" {
			t.Errorf("%s: status %d, want %d; got %s%s, want %s", test.args, status, test.status, stdout, stderr, test.want)
		}
	}
	for _, c := range s.matrix.Snapshot().Cells {
		if c.State != staging.Legacy {
			t.Errorf("changed: %s is %s", c.Cell, c.Setting)
		}
	}
}

// Another answer is no matrix.
func TestStageCommandElsewhere(t *testing.T) {
	s := newStageTest(t, "")
	for _, answer := range []string{"<html>", `{}`, `{"purged":["*"]}`} {
		page := strings.TrimPrefix(processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte(answer))
		})), "http://")
		cfg := stageConfig + "admin_listen: " + page + "\nadmin: {token: " + processtest.TestToken + "}\n"
		if err := os.WriteFile(s.file, []byte(cfg), 0o600); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := s.stage()
		want := page + " returned status 200: is it the admin listener of calfacade?\n"
		if status != processtest.StatusFail || stdout != "" ||
			!strings.HasSuffix(stderr, want) {
			t.Errorf("%s: %d %s%s", answer, status, stdout, stderr)
		}
	}
}
