package purging_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

var (
	pluginFile = processtest.Repository + "/docs/deploy/wordpress/calfacade-purge.php"
	pluginSite = "testdata/wordpress/site.php"
)

// php runs PHP, or skips the test on a machine without PHP.
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
	cmd := exec.CommandContext(t.Context(), binary,
		append([]string{"-d", "display_errors=1", "-d", "error_reporting=-1", "-d", "log_errors=0"}, args...)...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
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

// act is an action of WordPress with its arguments; a scene has the actions of one
// request.
type act []any

type scene []act

// play returns the requests that the plugin sends and schedules in each scene. plugins are
// those that the site has beside it, with blanks between them; url is the
// facade's.
func play(t *testing.T, plugins, url string, scenes ...scene) []string {
	t.Helper()
	input, err := json.Marshal(scenes)
	if err != nil {
		t.Fatal(err)
	}
	out := php(t, []string{"PURGE_PLUGINS=" + plugins, "PURGE_URL=" + url, "PURGE_TOKEN=" + processtest.TestToken}, string(input), pluginSite)
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
		batch = `{"objects":[{"type":"event","id":12,"language":"es"},{"type":"organizer","id":9},{"type":"category","id":3,` +
			`"language":"es"}]}`
		anyEvent = `{"objects":[{"type":"event","any":true},{"type":"organizer","id":9}]}`
	)
	several := scene{{"save_post", 12}, {"trashed_post", 12}, {"save_post", 9}, {"save_post", 12},
		{"created_term", 3, 1003, "tribe_events_cat"}}
	exchange := func(body, answer string) string { return "POST 1 " + body + "\nanswer " + answer + "\n" }
	waited := func(body, answer string) string { return "the visitor has the page\n" + exchange(body, answer) }
	answer := `{"purged":["categories:3","en:categories","en:events","en:organizers","es:categories","es:events","es:organizers",` +
		`"events:12","events:occurrence","organizers:9"]}`
	for name, test := range map[string]struct {
		plugins string
		scene   scene
		want    string
	}{
		"nothing":           {"polylang", scene{}, ""},
		"several":           {"polylang", several, exchange(batch, answer)},
		"nothing, with FPM": {"polylang fpm", scene{}, ""},
		"several, with FPM": {"polylang fpm", several, waited(batch, answer)},
		"too many, with FPM": {"fpm", append(saved(151), act{"save_post", 9}),
			waited(anyEvent, `{"purged":["en:events","en:organizers","es:events","es:organizers","events:any","events:occurrence",`+
				`"organizers:9"]}`)},
		"largest, with FPM": {"polylang fpm", largest(), waited("much", "much")},
		"site, with FPM": {"fpm", scene{{"updated_option", "timezone_string", "UTC", "Europe/London"}},
			waited(`{"all":true}`, `{"purged":["*"]}`)},
		"an event of version 2.0.0": {"", scene{{"= scheduled", 2_000_000_000, "calfacade_purge_again", act{event, 1}}, {"= cron"},
			{"= stored"}},
			"in SCHEDULED calfacade_purge_again " + event + " 1\nPOST 5 " + event +
				"\nanswer {\"purged\":[\"en:events\",\"es:events\",\"events:12\",\"events:occurrence\"]}\n" +
				"calfacade_purge_pending no 0\ncalfacade_purge_last no \n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := play(t, test.plugins, "http://"+cfg.AdminListen+"/purge", test.scene)
			got[0] = regexp.MustCompile(`in \d{3,}`).ReplaceAllString(got[0], "in SCHEDULED")
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

// TestPluginRetries: a purge that fails is sent again by one event, until it arrives. The delay is
// the time since when purges have been pending, at most an hour.
func TestPluginRetries(t *testing.T) {
	const body, allBody = `{"objects":[{"type":"organizer","id":9}]}`, `{"all":true}`
	const failed = "calfacade: a pending purge failed with status 0 (0 is no answer); answers may be old until they expire.\n"
	const stored = "calfacade_purge_last no \ncalfacade_purge_pending no %d\ncalfacade_purge_again\n"
	got := play(t, "fpm", "http://127.0.0.1:1/purge", scene{{"save_post", 9}}, scene{{"save_post", 9}}, scene{{"= stored"}},
		scene{{"= cron"}},
		scene{{"= failing since", 100, body}, {"= cron"}}, scene{{"= failing since", 86400, body}, {"= cron"}, {"= stored"}},
		scene{{"save_post", 12}})
	want := []string{
		"the visitor has the page\nPOST 1 " + body + "\nin 30 calfacade_purge_again\n",
		"the visitor has the page\nPOST 1 " + body + "\n",
		fmt.Sprintf(stored, 2),
		"POST 5 " + body + "\n" + failed + "in 30 calfacade_purge_again\n",
		"POST 5 " + body + "\n" + failed + "in 100 calfacade_purge_again\n",
		"POST 5 " + body + "\n" + failed + "in 3600 calfacade_purge_again\n" + fmt.Sprintf(stored, 1),
		"the visitor has the page\nPOST 1 {\"objects\":[{\"type\":\"event\",\"id\":12}]}\nin 30 calfacade_purge_again\n",
		// sooner than in an hour
		"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for code, next := range map[int]string{200: "", 307: body, 400: allBody, 401: body, 404: body, 413: allBody, 429: body,
		500: body, 503: body} {
		url := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		got := play(t, "", url, scene{{"= failing since", 60, body}, {"= scheduled", 1, "calfacade_purge_again", act{}}},
			scene{{"= cron"}}, scene{{"= cron"}})[2]
		if want := "POST 5 " + next; (next != "" || got != "") && !strings.HasPrefix(got, want+"\n") {
			t.Errorf("after status %d: got %s, want %s", code, got, want)
		}
	}
}

// TestPluginRecovers: the first purge that arrives makes the pending ones due, each is sent once, and
// one that another request adds meanwhile is not lost.
func TestPluginRecovers(t *testing.T) {
	url := processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	const old, event, late = `{"objects":[{"type":"organizer","id":9}]}`, `{"objects":[{"type":"event","id":12}]}`,
		`{"objects":[{"type":"event","id":5}]}`
	got := play(t, "", url, scene{{"= failing since", 86400, old}, {"= scheduled", 4_000_000_000, "calfacade_purge_again", act{}}},
		scene{{"save_post", 12}},
		scene{{"= meanwhile", late}, {"= cron"}, {"= stored"}}, scene{{"save_post", 12}}, scene{{"= cron"}, {"= stored"}})[1:]
	want := []string{
		"POST 1 " + event + "\nanswer \nin 0 calfacade_purge_again\n",
		"POST 5 " + old + "\nanswer \ncalfacade_purge_pending no 1\ncalfacade_purge_last no \n",
		"POST 1 " + event + "\nanswer \nin 0 calfacade_purge_again\n",
		"POST 5 " + late + "\nanswer \ncalfacade_purge_pending no 0\ncalfacade_purge_last no \n",
		"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPluginStatus: Site Health and WP-CLI report pending purges, and never the token.
func TestPluginStatus(t *testing.T) {
	dead := "http://u:" + processtest.TestToken + "@127.0.0.1:1/purge?token=" + processtest.TestToken
	live := processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	report := scene{{"= health"}, {"wp calendar-purge status"}}
	for name, test := range map[string]struct {
		url    string
		scenes []scene
		want   []string
	}{
		"off": {"", nil, []string{"recommended Nothing is purged: CALFACADE_PURGE_URL or", "URL: missing", "Pending purges: 0",
			"Warning: Nothing"}},
		"new": {dead, nil, []string{"good No purge", "URL: http://127.0.0.1:1/purge\n", "Token: set", "Last success: none",
			"Last error: none", "Success: No purge"}},
		"sent": {live, []scene{{{"save_post", 12}}}, []string{"good No purge", "Last success: TIME UTC", "Last error: none"}},
		"pending": {dead, []scene{{{"save_post", 12}}},
			[]string{"recommended Purges for", "Pending purges: 1, the oldest since TIME UTC",
				"Last error: TIME UTC, file_get_contents", "Warning:"}},
		"old":     {dead, []scene{{{"= failing since", 1000, "{}"}}}, []string{"critical Purges for", "Error: Purges for"}},
		"removed": {dead, []scene{{{"activate"}, {"save_post", 12}}, {{"uninstall"}}}, []string{"Pending purges: 0", "Last error: none"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(play(t, "cli", test.url, append(test.scenes, report)...), "")
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
			if strings.Contains(got, processtest.TestToken) {
				t.Errorf("the token is in %s", got)
			}
		})
	}
	if got := play(t, "", dead, scene{{"activate"}, {"save_post", 12}}, scene{{"uninstall"}, {"= stored"}}); got[1] != "" {
		t.Errorf("an uninstalled plugin leaves %s", got[1])
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
	var scenes, large []scene
	for range 5 {
		large = append(large, largest(), scene{{"= stored"}})
	}
	for i := range 101 {
		scenes = append(scenes, scene{{"save_post", 2000 + i}})
	}
	scenes = append(scenes, scene{{"= stored"}}, scene{{"= cron"}})
	got := play(t, "", "http://127.0.0.1:1/purge", scenes...)
	if want := "calfacade_purge_last no \ncalfacade_purge_pending no 1\ncalfacade_purge_again\n"; got[101] != want {
		t.Errorf("got %s, want %s", got[101], want)
	}
	if want := `POST 5 {"all":true}`; !strings.HasPrefix(got[102], want) {
		t.Errorf("got %s, want %s", got[102], want)
	}
	got = play(t, "", "http://127.0.0.1:1/purge", large...)
	for i, pending := range []string{"1", "2", "3", "4", "1"} {
		if want := "calfacade_purge_pending no " + pending + "\n"; !strings.Contains(got[2*i+1], want) {
			t.Errorf("after %d large purges: %s, want %s", i+1, got[2*i+1], want)
		}
	}
}
