package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

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

// play gives what the plugin sends and schedules in each scene, before a facade.
func play(t *testing.T, url string, scenes ...scene) []string {
	t.Helper()
	in, err := json.Marshal(scenes)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(php(t, []string{"PURGE_URL=" + url, "PURGE_TOKEN=" + testToken}, string(in), pluginSite), "--\n")
}

// What is changed in wp-admin is told to a real admin interface, which understands.
func TestPlugin(t *testing.T) {
	a := newAdminTest(t, "")
	config, err := LoadConfig(a.file, nil)
	if err != nil {
		t.Fatal(err)
	}
	event := `{"objects":[{"type":"event","id":12,"language":"es"}]}`
	told := func(body string) string {
		return "POST going " + body + "\nin 30 calfacade_purge_again " + body + " 1\n"
	}
	var many scene
	for id := range 501 {
		many = append(many, act{"save_post", 2000 + id})
	}
	for name, test := range map[string]struct {
		scene scene
		want  string
	}{
		"nothing":        {scene{}, ""},
		"save":           {scene{{"save_post", 12}}, told(event)},
		"each once":      {scene{{"save_post", 12}, {"trashed_post", 12}, {"save_post", 12}}, told(event)},
		"untrash":        {scene{{"untrashed_post", 12}}, told(event)},
		"delete":         {scene{{"before_delete_post", 55}}, told(`{"objects":[{"type":"venue","id":55,"language":"de"}]}`)},
		"no language":    {scene{{"save_post", 9}}, told(`{"objects":[{"type":"organizer","id":9}]}`)},
		"another type":   {scene{{"save_post", 1}}, ""},
		"unknown post":   {scene{{"save_post", 77}}, ""},
		"automatic":      {scene{{"save_post", 13}}, ""},
		"revision":       {scene{{"save_post", 14}}, ""},
		"new term":       {scene{{"created_term", 3, 1003, "tribe_events_cat"}}, told(`{"objects":[{"type":"category","id":3,"language":"es"}]}`)},
		"edited term":    {scene{{"edited_term", 4, 1004, "post_tag"}}, told(`{"objects":[{"type":"tag","id":4}]}`)},
		"deleted term":   {scene{{"pre_delete_term", 3, "tribe_events_cat"}}, told(`{"objects":[{"type":"category","id":3,"language":"es"}]}`)},
		"no such term":   {scene{{"pre_delete_term", 404, "post_tag"}}, ""},
		"other taxonomy": {scene{{"created_term", 3, 1003, "category"}}, ""},
		"several": {scene{{"save_post", 12}, {"save_post", 9}, {"created_term", 4, 1004, "post_tag"}},
			told(`{"objects":[{"type":"event","id":12,"language":"es"},{"type":"organizer","id":9},{"type":"tag","id":4}]}`)},
		"import": {many, told(`{"all":true}`)},
		"cron": {scene{{"calfacade_purge_again", event, 1}},
			"POST waiting " + event + "\nanswer {\"purged\":[\"en:events\",\"es:events\",\"events:12\",\"events:occurrence\"]}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, adminURL(config.AdminListen)+"/purge", test.scene)
			if diff := cmp.Diff([]string{test.want, ""}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A facade that does not answer is told again, five times; one that refuses is not.
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
	got := play(t, "http://127.0.0.1:1/purge", tries...)
	want := []string{sent(60, 2), sent(240, 3), sent(960, 4), sent(3840, 5),
		"POST waiting " + body + "\ncalfacade: a purge failed with status 0 (0 is no answer) in try 5; answers may be old until they expire.\n", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for code, again := range map[int]bool{200: false, 307: true, 400: false, 401: false, 404: false, 429: true, 500: true, 503: true} {
		got := strings.Contains(play(t, status(code), scene{{"calfacade_purge_again", body, 1}})[0], "\nin 60 ")
		if got != again {
			t.Errorf("after status %d: told again: %t, want %t", code, got, again)
		}
	}
}

// Without its constants the plugin does nothing.
func TestPluginOff(t *testing.T) {
	if got := play(t, "", scene{{"save_post", 12}}); got[0] != "" {
		t.Errorf("got %s", got[0])
	}
}
