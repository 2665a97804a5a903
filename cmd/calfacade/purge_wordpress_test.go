package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/google/go-cmp/cmp"
)

const (
	pluginFile = "wordpress/calfacade-purge.php"
	pluginSite = "wordpress/testdata/site.php"
)

// php runs PHP, or skips the test where there is none.
func php(t *testing.T, env []string, stdin string, args ...string) string {
	t.Helper()
	binary, err := exec.LookPath("php")
	if err != nil {
		t.Skip("php is not installed (Debian: php-cli)")
	}
	for _, file := range []string{pluginFile, pluginSite} {
		if _, err := os.Stat(file); err != nil { // or go test returns a result that it cached before they changed
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"-d", "display_errors=1", "-d", "error_reporting=-1", "-d", "log_errors=0"}, args...)...)
	cmd.Env, cmd.Stdin = append(cmd.Environ(), env...), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestPluginSyntax(t *testing.T) {
	for _, file := range []string{pluginFile, pluginSite} {
		php(t, nil, "", "-l", file)
	}
}

// act is an action of WordPress with its arguments; a scene is what one request
// does.
type act []any

type scene []act

// play returns what the plugin sends and schedules in each scene. plugins are
// those that the site has beside it, with blanks between them; url is the
// facade's.
func play(t *testing.T, plugins, url string, scenes ...scene) []string {
	t.Helper()
	in, err := json.Marshal(scenes)
	if err != nil {
		t.Fatal(err)
	}
	out := php(t, []string{"PURGE_PLUGINS=" + plugins, "PURGE_URL=" + url, "PURGE_TOKEN=" + testToken}, string(in), pluginSite)
	return strings.Split(out, "--\n")
}

// Changes of one request are one purge at its end, which a real admin interface
// accepts.
func TestPlugin(t *testing.T) {
	a := newAdminTest(t, "")
	cfg, err := config.Load(a.file, nil)
	if err != nil {
		t.Fatal(err)
	}
	const (
		event = `{"objects":[{"type":"event","id":12,"language":"es"}]}`
		batch = `{"objects":[{"type":"event","id":12,"language":"es"},{"type":"organizer","id":9},{"type":"category","id":3,"language":"es"}]}`
		any   = `{"objects":[{"type":"event","any":true},{"type":"organizer","id":9}]}`
	)
	several := scene{{"save_post", 12}, {"trashed_post", 12}, {"save_post", 9}, {"save_post", 12}, {"created_term", 3, 1003, "tribe_events_cat"}}
	sent := func(body string) string {
		return "POST going " + body + "\nin 30 calfacade_purge_again " + body + " 1\n"
	}
	waited := func(body, answer string) string {
		return "the visitor has the page\nPOST waiting " + body + "\nanswer " + answer + "\n"
	}
	for name, test := range map[string]struct {
		plugins string
		scene   scene
		want    string
	}{
		"nothing":            {"polylang", scene{}, ""},
		"several":            {"polylang", several, sent(batch)},
		"nothing, with FPM":  {"polylang fpm", scene{}, ""},
		"several, with FPM":  {"polylang fpm", several, waited(batch, `{"purged":["categories:3","en:categories","en:events","en:organizers","es:categories","es:events","es:organizers","events:12","events:occurrence","organizers:9"]}`)},
		"too many, with FPM": {"fpm", append(saved(151), act{"save_post", 9}), waited(any, `{"purged":["en:events","en:organizers","es:events","es:organizers","events:any","events:occurrence","organizers:9"]}`)},
		"largest, with FPM":  {"polylang fpm", largest(), waited("much", "much")},
		"site, with FPM":     {"fpm", scene{{"updated_option", "timezone_string", "UTC", "Europe/London"}}, waited(`{"all":true}`, `{"purged":["*"]}`)},
		"cron": {"", scene{{"calfacade_purge_again", event, 1}},
			"POST waiting " + event + "\nanswer {\"purged\":[\"en:events\",\"es:events\",\"events:12\",\"events:occurrence\"]}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, test.plugins, adminURL(cfg.AdminListen)+"/purge", test.scene)
			if diff := cmp.Diff([]string{test.want, ""}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// saved is a request that saves n events.
func saved(n int) (s scene) {
	for i := range n {
		s = append(s, act{"save_post", 2000 + i})
	}
	return s
}

// largest is a request that changes as many items of each type as are named one by
// one, with long ids and a long language.
func largest() (s scene) {
	for i := range 150 {
		id := 4_000_000_000 + i
		s = append(s, act{"save_post", id}, act{"save_post", id + 100_000_000}, act{"save_post", id + 200_000_000},
			act{"created_term", id, id, "tribe_events_cat"}, act{"created_term", id, id, "post_tag"})
	}
	return s
}

// A facade that does not answer gets it again, five times; one that refuses does
// not.
func TestPluginRetries(t *testing.T) {
	const body = `{"all":true}`
	status := func(code int) string {
		return serveTest(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	}
	sent := func(wait, next int) string {
		return fmt.Sprintf("POST waiting %s\nin %d calfacade_purge_again %s %d\n", body, wait, body, next)
	}
	var tries []scene
	for try := range 5 {
		tries = append(tries, scene{{"calfacade_purge_again", body, try + 1}})
	}
	got := play(t, "", "http://127.0.0.1:1/purge", tries...)
	want := []string{sent(60, 2), sent(240, 3), sent(960, 4), sent(3840, 5),
		"POST waiting " + body + "\ncalfacade: a purge failed with status 0 (0 is no answer) in try 5; answers may be old until they expire.\n", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for code, again := range map[int]bool{200: false, 307: true, 400: false, 401: false, 404: false, 429: true, 500: true, 503: true} {
		got := strings.Contains(play(t, "", status(code), scene{{"calfacade_purge_again", body, 1}})[0], "\nin 60 ")
		if got != again {
			t.Errorf("after status %d: sent again: %t, want %t", code, got, again)
		}
	}
}

// Where the first request waits for its answer, WP-Cron is needed only if it fails.
func TestPluginRetriesAfterWaiting(t *testing.T) {
	got := play(t, "fpm", "http://127.0.0.1:1/purge", scene{{"save_post", 9}})
	const body = `{"objects":[{"type":"organizer","id":9}]}`
	want := []string{"the visitor has the page\nPOST waiting " + body + "\nin 30 calfacade_purge_again " + body + " 1\n", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Without its constants the plugin does nothing.
func TestPluginOff(t *testing.T) {
	if got := play(t, "", "", scene{{"save_post", 12}}); got[0] != "" {
		t.Errorf("got %s", got[0])
	}
}

// TestPluginPendingIsBounded: beyond a hundred pending purges, or their bytes, one of everything
// replaces them.
func TestPluginPendingIsBounded(t *testing.T) {
	var scenes []scene
	for i := range 101 {
		scenes = append(scenes, scene{{"save_post", 2000 + i}})
	}
	for i := range 8 {
		scenes = append(scenes, largest()[i:]) // each another body
	}
	got := play(t, "", "http://127.0.0.1:1/purge", scenes...)
	const all = `again {"all":true} 1`
	for i, want := range map[int]bool{0: false, 99: false, 100: true, 101: false} {
		if strings.Contains(got[i], all) != want {
			t.Errorf("scene %d: want everything: %t: %.200s", i, want, got[i])
		}
	}
	if !strings.Contains(strings.Join(got[101:], ""), all) {
		t.Error("large purges pile up")
	}
}
