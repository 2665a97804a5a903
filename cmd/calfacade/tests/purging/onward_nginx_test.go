package purging_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// startPurgedNginx starts nginx with the shipped files of a cache and of purges.
func startPurgedNginx(t *testing.T, facade string) string {
	t.Helper()
	const module = "/usr/lib/nginx/modules/ngx_http_cache_purge_module.so"
	program := processtest.FrontServer{Program: "nginx"}.Find(t)
	if _, err := os.Stat(module); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("nginx cannot purge (apt-get install libnginx-mod-http-cache-purge)")
	}
	address := processtest.FreeAddress(t)
	dir := t.TempDir()
	shipped := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/nginx/front-cache.conf")
	purges := processtest.ReadFile(t, processtest.Repository+"/docs/deploy/nginx/snippets/calfacade-purge.conf")
	cached := strings.Replace(shipped, "location / {", purges+"location / {\nproxy_set_header Accept-Encoding \"\";", 1)
	cached = strings.NewReplacer("/var/cache/nginx/calfacade", dir+"/stored", "127.0.0.1:8080", facade, "listen 80",
		"listen "+address).Replace(cached)
	text := fmt.Sprintf("load_module %s; daemon off; pid %s/pid; error_log stderr; user %s; events {} http {\naccess_log off; "+
		"client_body_temp_path %[2]s/body; proxy_temp_path %[2]s/proxied;\n%[4]s}\n",
		module, dir, processtest.CurrentUser(t), cached)
	return processtest.StartCachingAt(t, address, text, func(file, _, _ string) *exec.Cmd { return exec.Command(program, "-e", "stderr", "-c", file) })
}

// TestNginxPurged: a real nginx with the module of Debian serves no item and no list that a purge
// names, in any coding; a list with parameters expires.
func TestNginxPurged(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	site := new(processtest.Versions)
	public := processtest.FreeAddress(t)
	front := startPurgedNginx(t, public)
	file := processtest.WriteConfig(t, processtest.Serve(t, site), fmt.Sprintf("admin: {token: %s}\ncache: {ttl: {venues: 1h}}\n"+
		"edge: {lifetime: x-accel-expires, purge: [{name: front, type: nginx, url: '%s/purge'}]}", processtest.PurgeToken, front))
	text := strings.Replace(processtest.ReadFile(t, file), "\nlisten: 127.0.0.1:0", "\nlisten: "+public, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := processtest.StartServing(t, processtest.Build(t), "serve", "--config", file)
	get := func(path, coding string) (version, source string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", coding)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if res.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		return processtest.VersionPattern.FindString(string(body)), res.Header.Get("X-Cache")
	}
	codings := []string{"identity", "gzip", "gzip, deflate, br"}
	for range 2 {
		for _, coding := range codings {
			if got, _ := get(processtest.Neutral+"/venues/12", coding); got != "version 0" {
				t.Fatalf("%s: %q", coding, got)
			}
		}
	}
	if _, source := get(processtest.Neutral+"/venues/12", "gzip"); source != "HIT" {
		t.Errorf("nginx stores nothing: %q", source)
	}
	site.Mu.Lock()
	site.Version++
	site.Mu.Unlock()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Admin+"/purge", strings.NewReader(`{"type":"venue","id":12}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+processtest.PurgeToken)
	if got := <-processtest.Begun(r); got.Status != http.StatusOK {
		t.Fatalf("%+v", got)
	}
	for _, coding := range codings {
		processtest.Eventually(t, "the new version is served as "+coding, func() bool {
			got, _ := get(processtest.Neutral+"/venues/12", coding)
			return got == "version 1"
		})
	}
}
