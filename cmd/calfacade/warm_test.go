package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// warmed runs the command for the facade at listen and returns its exit status and its output.
func warmed(t *testing.T, listen, extra, args string) (status int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	doc := fmt.Sprintf("listen: %s\npublic_url: https://api.example.org\n%s\nlanguages:\n", listen, extra)
	for _, l := range config.Demo("", "https://legacy.example.org").Languages {
		doc += fmt.Sprintf("  - {code: %s, root: %s, upstream: %q}\n", l.Code, l.Root, l.Upstream)
	}
	if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status = run(t.Context(), strings.Fields("warm --config "+file+" "+args), nil, nil, &out, &errs)
	return status, out.String(), errs.String()
}

func TestWarm(t *testing.T) {
	t.Parallel()
	var calls, busy atomic.Int64
	site := sim.New(sim.Options{Clock: processtest.Noon})
	legacy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		site.ServeHTTP(w, r)
	}))
	public := httptest.NewUnstartedServer(nil)
	cfg := config.Demo("http://"+public.Listener.Addr().String(), legacy)
	cfg.Cache.SiteZone = "UTC" // without it lists are kept until the next quarter of an hour
	for resource := range cfg.Cache.TTL {
		cfg.Cache.TTL[resource] = time.Hour // by default a 404 would expire after ten seconds
	}
	facade := http.HandlerFunc(servicetest.New(t, &cfg).Public)
	public.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		facade.ServeHTTP(w, r)
	})
	public.Start()
	t.Cleanup(public.Close)
	listen := public.Listener.Addr().String()

	counts := regexp.MustCompile(`^(\d+) responses were in the cache, (\d+) were added, (\d+) calls failed\n$`)
	status, out, errs := warmed(t, listen, "", "--languages es --rate 0")
	first := counts.FindStringSubmatch(out)
	if status != exitOK || first == nil || first[1] != "0" || first[2] == "0" || errs != "" {
		t.Fatalf("status %d, %s%s", status, out, errs)
	}
	count := calls.Load()
	want := func(name, args string) {
		t.Helper()
		// Not cached are refused reads of an event with a password: by its id and by its slug.
		again := fmt.Sprintf("%d responses were in the cache, 2 were added, 0 calls failed\n", number(t, first[2])-2)
		if status, out, _ := warmed(t, listen, "", "--languages es --rate 0 "+args); status != exitOK || out != again {
			t.Errorf("%s: status %d, %s, want %s", name, status, out, again)
		}
	}
	want("again", "")
	if n := calls.Load() - count; n != 2 {
		t.Errorf("%d more calls on the site", n)
	}
	busy.Store(1)
	want("a facade that wants to be left alone for a moment", "--url http://"+listen)
	for _, path := range []string{"/events", "/venues?per_page=50", "/events/" + itemOf(t, facade, "events")} {
		w := httptest.NewRecorder()
		facade.ServeHTTP(w, httptest.NewRequest("GET", "/es/wp-json/calendar/events/v1"+path, nil))
		if got := w.Header().Get("Cache-Status"); !strings.HasPrefix(got, "calfacade; hit") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// itemOf is the first item of a list in Spanish.
func itemOf(t *testing.T, facade http.Handler, resource string) string {
	t.Helper()
	w := httptest.NewRecorder()
	facade.ServeHTTP(w, httptest.NewRequest("GET", "/es/wp-json/calendar/events/v1/"+resource, nil))
	m := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatal(w.Body)
	}
	return m[1]
}

func TestWarmFails(t *testing.T) {
	failing := func(h http.HandlerFunc) string { return strings.TrimPrefix(processtest.Serve(t, h), "http://") }
	for _, test := range []struct {
		name, listen, config, args string
		status                     int
		out, err                   string
	}{
		{name: "nobody", listen: "127.0.0.1:1", status: exitFail, out: `^$`,
			err: "calfacade warm: http://127.0.0.1:1: the facade does not respond: dial tcp 127.0.0.1:1: connect: connection " +
				"refused: is it running?"},
		{name: "errors", listen: failing(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }), status: exitFail,
			out: `/events\?page=1.* status 502[^$]* 40 calls failed`},
		{name: "a redirect", listen: failing(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1", http.StatusFound)
		}), status: exitFail, out: `status 302[^$]*\n0 responses were in the cache, 0 were added, 40 calls failed\n$`},
		{name: "something else", listen: failing(processtest.Text("<p>")), status: exitFail,
			out: `status 200, and no list[^$]*\n40 responses have no Cache-Status of calfacade[^$]* 20 calls failed\n$`},
		{name: "TLS", listen: "127.0.0.1:1", config: "tls: {cert_file: /c.pem, key_file: /k.pem}", status: exitUsage,
			err: "set --url to the name of its certificate"},
		{name: "a URL that is none", listen: "127.0.0.1:1", args: "--url nonsense", status: exitUsage,
			err: "--url is not an absolute http or https URL"},
		{name: "a language that is none", listen: "127.0.0.1:1", args: "--languages xx", status: exitUsage,
			err: `"xx" is not one of the configured languages`},
		{name: "no pace", listen: "127.0.0.1:1", args: "--rate -1", status: exitUsage, err: "--rate must not be negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, out, errs := warmed(t, test.listen, test.config, test.args+" --rate 0")
			if test.args == "--rate -1" {
				status, out, errs = warmed(t, test.listen, test.config, test.args)
			}
			if status != test.status || !regexp.MustCompile(test.out).MatchString(out) || !strings.Contains(errs, test.err) {
				t.Errorf("status %d, want %d; %s%s", status, test.status, out, errs)
			}
		})
	}
}
