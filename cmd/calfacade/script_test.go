package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// TestMain makes this test binary the command calfacade too: scripts run it as
// a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(processtest.Tests{M: m}, map[string]func(){"calfacade": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands there is
//
//	status N command...   run command; its exit status must be N
//	expand FILE...        put variables in the place of $NAME in files
//
// and beside the usual variables there are URLs of legacy sites:
//
//	LEGACY     a stand-in in good order
//	PLANTED    another one, with a venue less and an organizer renamed, in German
//	POLYLANG   one that stores its languages as Polylang does, free
//	MOVED      one that redirects everything, keeping the query
//	LOOP       one that redirects everything to itself
//	BARE       WordPress without the plugin
//	BROKEN     the plugin is there, and its lists are not JSON
//	PAGE       a web page, for every request
//	SKEWED     as BARE, with a clock that is years off
//	SURPLUS    as LEGACY, with a byte order mark before each answer
//	COOKIE     as LEGACY, with a cookie PHPSESSID beside each answer
//	CART       as COOKIE, with a cookie that no default names
//	GATE       as LEGACY, behind HTTP Basic for staging:opensesame
//	AWAY       a page whose REST root is GATE's
//	SHUT       as LEGACY, with the index of the REST root closed and the namespace open
//	PASSED_ON  as LEGACY, with an application password that is wrong, for requests with Authorization
//	INSISTS    as LEGACY, redirecting requests to https that do not say that they came by https
//	SUCCESSOR  as LEGACY, with tec/v1 in its index instead of tribe/events/v1
//	NEUTRAL    a stand-in that speaks calendar/events/v1
//	INTERNAL   as LEGACY, for the Host www.legacy.example alone
//	RENAMED    as LEGACY, calling itself https://www.legacy.example
//	NO_STORE   as LEGACY, with Cache-Control: no-store on each answer
//	NO_TOTALS  as LEGACY, without the header fields that count a list
//	PLAIN      as LEGACY, with plain permalinks
//	PREFIX     as LEGACY, in the directory /blog, with the prefix api and WordPress in /core
//	NOBODY     nothing listens there
//
// LEGACY_HOST is the host of LEGACY.
//
// TAKEN is an address that somebody listens on.
func TestScripts(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"LEGACY": processtest.Serve(t, sim.New(sim.Options{})),
		"PLANTED": processtest.Serve(t, sim.New(sim.Options{Planted: []sim.Plant{
			{Kind: sim.PlantMissing, Resource: "venues", Language: "de"},
			{Kind: sim.PlantValue, Resource: "organizers", Language: "de", Field: "organizer"},
		}})),
		"POLYLANG": processtest.Serve(t, sim.New(sim.Options{Languages: sim.Mixed})),
		"MOVED": processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://www.legacy.example"+r.URL.Path+"?token=opensesame")
			w.WriteHeader(http.StatusMovedPermanently)
		})),
		"LOOP": processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+r.Host+r.URL.RequestURI())
			w.WriteHeader(http.StatusMovedPermanently)
		})),
		"BARE":   processtest.Serve(t, processtest.Text(`{"namespaces":["wp/v2"],"gmt_offset":5.5}`)),
		"BROKEN": processtest.Serve(t, brokenLists()),
		"PAGE":   processtest.Serve(t, processtest.Text("<html>a page</html>")),
		"SKEWED": processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
			processtest.Text(`{"namespaces":[]}`)(w, r)
		})),
		"SURPLUS":   processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{Surplus: "bom"}})),
		"COOKIE":    processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{Cookie: "PHPSESSID"}})),
		"CART":      processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{Cookie: "cart"}})),
		"NO_STORE":  processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{NoStore: true}})),
		"NO_TOTALS": processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{NoTotals: true}})),
		"GATE":      processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{Basic: "staging:opensesame"}})),
		"INTERNAL":  processtest.Serve(t, sim.New(sim.Options{Site: "http://www.legacy.example", Setup: sim.Setup{Host: "www.legacy.example"}})),
		"RENAMED":   processtest.Serve(t, sim.New(sim.Options{Site: "https://www.legacy.example"})),
		"PLAIN":     processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{Plain: true}})),
		"PREFIX":    processtest.Serve(t, sim.New(sim.Options{Setup: sim.Setup{RESTPrefix: "api", Directory: "blog", WordPress: "core"}})),
		"NOBODY":    "http://127.0.0.1:1", // the port of tcpmux, which nothing speaks
		"TAKEN":     processtest.BusyAddress(t),
	}
	legacy := sim.New(sim.Options{})
	env["SHUT"] = processtest.Serve(t, processtest.Unless(legacy, func(w http.ResponseWriter, r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/wp-json/") && processtest.Refuse(w, "rest_not_logged_in")
	}))
	env["PASSED_ON"] = processtest.Serve(t, processtest.Unless(legacy, func(w http.ResponseWriter, r *http.Request) bool {
		return r.Header.Get("Authorization") != "" && strings.Contains(r.URL.Path, "/wp-json/") && processtest.Refuse(w, "invalid_username")
	}))
	env["INSISTS"] = processtest.Serve(t, processtest.Unless(legacy, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Forwarded-Proto") == "https" {
			return false
		}
		http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusMovedPermanently)
		return true
	}))
	env["SUCCESSOR"] = processtest.Serve(t, successor(legacy))
	env["NEUTRAL"] = processtest.Serve(t, legacy.Neutral())
	env["AWAY"] = processtest.Serve(t, processtest.Text(`<link rel="https://api.w.org/" href="`+env["GATE"]+`/wp-json/">`))
	env["LEGACY_HOST"] = strings.TrimPrefix(env["LEGACY"], "http://")
	scripts := "testdata/script"
	concurrent := []string(nil)
	if testing.Short() { // the commands of the others do one thing after the other
		scripts = ""
		concurrent = []string{"testdata/script/diff.txtar", "testdata/script/record.txtar", "testdata/script/warm.txtar"}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		Files:               concurrent,
		RequireExplicitExec: true,
		UpdateScripts:       *processtest.Update,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": exitsWith, "expand": expand},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each process under -race ends a second late
			e.Setenv(config.FileVariable, "")       // the machine may have a configuration
			for name, value := range env {
				e.Setenv(name, value)
			}
			return nil
		},
	})
}

func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand FILE...")
	}
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(os.Expand(ts.ReadFile(file), ts.Getenv)), 0o600))
	}
}

func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// successor is a site with tec/v1 and no items, whose start page and indexes of REST roots are the site's, but for the
// namespace.
func successor(site http.Handler) http.Handler {
	return processtest.Unless(site, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/wp-json/"):
			index := httptest.NewRecorder()
			site.ServeHTTP(index, r)
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			_, _ = io.WriteString(w, strings.Replace(index.Body.String(), `tribe\/events\/v1`, `tec\/v1`, 1))
		case strings.Contains(r.URL.Path, "/wp-json/"):
			processtest.EmptySuccessor(w, r)
		default:
			return false
		}
		return true
	})
}

// brokenLists is a site with a PHP warning before the JSON of its lists.
func brokenLists() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/wp-json/", processtest.Text(`{"namespaces":["tribe/events/v1"],"timezone_string":"Europe/Madrid"}`))
	mux.Handle("/wp-json/tribe/events/v1/events", processtest.Text(`Warning: Undefined variable {"events":[],"rest_url":"","total":0,"total_pages":0}`))
	return mux
}
