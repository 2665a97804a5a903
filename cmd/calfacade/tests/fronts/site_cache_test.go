//go:build !race

package fronts_test

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/cmd/legacysim/sim"
)

// startSiteVarnish starts Varnish in front of a site, as it comes: it ignores Cache-Control of requests.
func startSiteVarnish(t *testing.T, site string) string {
	program := processtest.FrontServer{Program: "varnishd"}.Find(t)
	vcl := fmt.Sprintf("vcl 4.1;\nbackend default { .host = \"127.0.0.1\"; .port = %q; }\n", portOf(strings.TrimPrefix(site, "http://")))
	return startCaching(t, vcl, func(file, dir, address string) *exec.Cmd {
		return exec.Command(program, "-F", "-j", "none", "-a", address, "-f", file, "-n", filepath.Join(dir, "work"), "-s", "malloc,16m")
	})
}

// startSiteNginx returns a function that starts nginx in front of a site, with keys of an expression. It reports hits,
// and no age.
func startSiteNginx(key string) func(*testing.T, string) string {
	return func(t *testing.T, site string) string {
		program := processtest.FrontServer{Program: "nginx"}.Find(t)
		address := processtest.FreeAddress(t)
		dir := t.TempDir()
		text := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log stderr; user %[2]s; events {} http {
access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxied;
proxy_cache_path %[1]s/stored keys_zone=site:1m;
server { listen %[3]s; location / {
proxy_pass %[4]s; proxy_set_header Host $host; proxy_cache site; proxy_cache_valid 200 10m; proxy_cache_key %[5]s;
add_header X-Cache-Status $upstream_cache_status; } } }
`, dir, processtest.CurrentUser(t), address, site, key)
		return processtest.StartCachingAt(t, address, text, func(file, _, _ string) *exec.Cmd { return exec.Command(program, "-e", "stderr", "-c", file) })
	}
}

// TestCacheAtTheSite: before a real cache at the site, a read after a write through the facade shows the write, and is
// stored; an update keeps the edits at the site meanwhile; and check finds the cache. With a cache that nothing
// passes, an update is refused.
func TestCacheAtTheSite(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	binary := processtest.Build(t)
	for name, test := range map[string]struct {
		start   func(*testing.T, string) string
		passed  bool
		finding string
	}{
		"varnish":               {startSiteVarnish, true, "a cache at the site answers REST reads (X-Varnish: "},
		"nginx":                 {startSiteNginx("$uri$is_args$args"), true, "a cache at the site answers REST reads (X-Cache-Status: HIT), and"},
		"nginx without queries": {startSiteNginx("$uri"), false, "a cache at the site answers REST reads (X-Cache-Status: HIT), whatever"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := processtest.Serve(t, sim.New(sim.Options{Clock: processtest.Noon}))
			cache := test.start(t, site)
			file := processtest.WriteConfig(t, cache, "cache: {zone: UTC}")
			p := processtest.StartServing(t, binary, "serve", "--config", file)
			venue := firstVenue(t, sim.New(sim.Options{Clock: processtest.Noon}))
			fetch := func() (status, body string) {
				res, err := http.Get(p.Base + "/venues/" + venue)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				data, err := io.ReadAll(res.Body)
				if err != nil {
					t.Fatal(err)
				}
				return res.Header.Get("Cache-Status"), string(data)
			}
			fetch()
			put := func(base, body string) (status int) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, base+"/venues/"+venue, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.SetBasicAuth(sim.Users[0].Name, sim.Users[0].Password)
				return (<-processtest.Begun(r)).Status
			}
			put(p.Base, `{"city":"first"}`) // the cache may now have the reads of an update, too
			fetch()
			put(site+"/wp-json/tribe/events/v1", `{"city":"of the site"}`)
			status := put(p.Base, `{"venue":"Renamed"}`)
			cacheStatus, body := fetch()
			renamed := strings.Contains(body, `"venue":"Renamed"`)
			cached := strings.Contains(body, `"city":"of the site"`)
			switch {
			case test.passed && (status != http.StatusOK || !renamed || !cached || !strings.Contains(cacheStatus, "; stored")):
				t.Errorf("update %d, then %s: %s", status, cacheStatus, body)
			case !test.passed && status != http.StatusBadGateway:
				t.Errorf("update %d", status)
			}
			p.Expect(`"msg":"a cache at the site answers REST reads with old responses: exclude /wp-json/ from it"`)
			out, _ := exec.CommandContext(t.Context(), binary, "check", "--config", file).CombinedOutput() // its status is the test's
			if !regexp.MustCompile(regexp.QuoteMeta(test.finding)).Match(out) {
				t.Errorf("check finds %s", out)
			}
		})
	}
}
