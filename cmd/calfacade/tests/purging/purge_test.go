package purging_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/cmd/calfacade/internal/config"
	"github.com/calfacade/calfacade/cmd/calfacade/internal/service/servicetest"
	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
	"github.com/calfacade/calfacade/proxy/proxytest"
)

// adminTest is the admin listener of a facade that runs in this process, and the
// file that it is configured by.
type adminTest struct {
	*testing.T
	file string
}

// newAdminTest serves the admin interface of a configuration with two languages.
// extra are lines of that configuration, in the command's file alone.
func newAdminTest(t *testing.T, extra string) adminTest {
	doc := `
public_url: https://api.example.org
languages:
  - {code: en, root: /wp-json, upstream: "https://legacy.example.org/wp-json"}
  - {code: es, root: /es/wp-json, upstream: "https://legacy.example.org/es/wp-json"}
`
	cfg, err := config.Parse("c.yaml", []byte(doc), []string{"CALFACADE_ADMIN_TOKEN=" + processtest.TestToken})
	if err != nil {
		t.Fatal(err)
	}
	url := processtest.Serve(t, http.HandlerFunc(servicetest.New(t, &cfg).Admin))
	if extra == "" {
		extra = "admin_listen: " + strings.TrimPrefix(url, "http://") + "\nadmin: {token: " + processtest.TestToken + "}"
	}
	extra = strings.ReplaceAll(extra, "ADMIN", strings.TrimPrefix(url, "http://"))
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(doc+extra+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return adminTest{T: t, file: file}
}

// purge runs the command and returns its exit status and its output.
func (a adminTest) purge(args string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = processtest.RunCommand(a.Context(), a.T, strings.Fields("purge --config "+a.file+" "+args), nil, nil, &out, &errs)
	for _, text := range []string{out.String(), errs.String()} {
		if strings.Contains(text, processtest.TestToken) {
			a.Errorf("%s shows the token: %s", args, text)
		}
	}
	return status, out.String(), errs.String()
}

func TestPurgeCommand(t *testing.T) {
	a := newAdminTest(t, "")
	for _, test := range []struct {
		args   string
		status int
		want   string // on stdout, else on stderr
	}{
		{"--all", processtest.StatusOK, "*"},
		{"--all --soft", processtest.StatusOK, "*"},
		{"--tag es:events:12 --tag en:venues", processtest.StatusOK, "en:venues events:12"},
		{"--type event --id 12", processtest.StatusOK, "en:events es:events events:12 events:occurrence"},
		{"--type category --id 3 --language es --soft", processtest.StatusOK, "categories:3 en:categories es:categories"},
		{"--type event", processtest.StatusOK, "en:events es:events events:any events:occurrence"},
		{"--type tag --language es --soft", processtest.StatusOK, "en:tags es:tags tags:any"},

		{"", processtest.StatusUsage, "want exactly one of --all, --tag and --type"},
		{"--soft", processtest.StatusUsage, "want exactly one of --all, --tag and --type"},
		{"--all --tag es:events", processtest.StatusUsage, "want exactly one of --all, --tag and --type"},
		{"--all --id 12", processtest.StatusUsage, "want exactly one of --all, --tag and --type"},
		{"--tag es:events --language es", processtest.StatusUsage, "want exactly one of --all, --tag and --type"},
		{"--id 12", processtest.StatusUsage, "want --type with --id and --language"},
		{"--type event --id -1", processtest.StatusUsage, "want an --id above 0; without --id every item of the type is purged"},
		{"--type event --id 0", processtest.StatusUsage, "want an --id above 0; without --id every item of the type is purged"},
		{"--language es", processtest.StatusUsage, "want --type with --id and --language"},
		{"--all surplus", processtest.StatusUsage, "want 0 arguments after the flags, got 1"},

		{"--type event --id 12 --language fr", processtest.StatusFail, `"fr" is not one of the configured languages`},
		{"--type events", processtest.StatusFail, "refused with status 400 (invalid_purge): type of object 1 is not one of event, venue, organizer," +
			" category, tag"},
		{"--type events --id 12", processtest.StatusFail, "refused with status 400 (invalid_purge): type of object 1 is not one of event, venue, " +
			"organizer, category, tag"},
		{"--tag de:events", processtest.StatusFail, "refused with status 400 (invalid_purge): tags[0] is not a tag such as events:12 or en:events"},
	} {
		status, stdout, stderr := a.purge(test.args)
		got := strings.Join(strings.Fields(stdout), " ")
		if test.status != processtest.StatusOK {
			got = strings.TrimSuffix(strings.TrimPrefix(stderr, "calfacade purge: "), "\n")
		}
		if status != test.status || got != test.want || (stdout == "") == (stderr == "") {
			t.Errorf("%s: status %d, want %d; got %q, want %q", test.args, status, test.status, got, test.want)
		}
	}
}

func TestPurgeCommandJSON(t *testing.T) {
	status, stdout, stderr := newAdminTest(t, "").purge("--tag en:venues --json")
	if status != processtest.StatusOK || stdout != "{\n  \"error\": \"\",\n  \"purged\": [\n    \"en:venues\"\n  ]\n}\n" || stderr != "" {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

// An id that a script has left empty is no purge of every item.
func TestPurgeCommandEmptyID(t *testing.T) {
	status, stdout, stderr := newAdminTest(t, "").purge("--type event --id=")
	if status != processtest.StatusUsage || stdout != "" || !strings.HasPrefix(stderr, `calfacade purge: invalid argument "" for "--id" flag: `) {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

// Errors of the listener are printed, without the token.
func TestPurgeCommandFails(t *testing.T) {
	const token = "\nadmin: {token: " + processtest.TestToken + "}"
	page := strings.TrimPrefix(processtest.Serve(t, processtest.Text("<html>")), "http://")
	away := strings.TrimPrefix(processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/purge" {
			t.Errorf("a redirect was followed to %s", r.URL)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})), "http://")
	for _, test := range []struct{ config, want string }{
		{"admin_listen: ''" + token, "admin_listen is empty: the instance has no admin listener"},
		{"admin_listen: ADMIN", "admin.token is empty: the admin listener accepts no requests"},
		{"admin_listen: ADMIN\nadmin: {token: another-0123456789}",
			"refused with status 401 (unauthorized): want Authorization: Bearer and the admin.token"},
		{"admin_listen: 127.0.0.1:1" + token,
			"calfacade purge: the admin listener 127.0.0.1:1 does not respond: dial tcp 127.0.0.1:1: connect: connection refused: is " +
				"calfacade running with this configuration?"},
		{"admin_listen: " + page + token, page + " returned status 200: is it the admin listener of calfacade?"},
		{"admin_listen: " + away + token, away + " returned status 307: is it the admin listener of calfacade?"},
	} {
		status, stdout, stderr := newAdminTest(t, test.config).purge("--all")
		if status != processtest.StatusFail || stdout != "" || !strings.HasSuffix(stderr, test.want+"\n") {
			t.Errorf("%s: status %d, %s%s, want %s", test.config, status, stdout, stderr, test.want)
		}
	}
}

// TestServePurge runs the real binary: changes in WordPress behind the facade's
// back shows after a purge and not before. Without a cache it shows at once.
func TestServePurge(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	binary := processtest.Build(t)
	for _, test := range []struct {
		name, config string
		status       int
		want         []string // the titles that three reads show: before, after the change, after the purge
	}{
		{"memory", "", processtest.StatusOK, []string{"1 uri-miss", "1 hit", "2 uri-miss"}},
		{"nothing stored", "cache: {ttl: {events: 0s}}", processtest.StatusOK, []string{"1 uri-miss", "2 uri-miss", "3 uri-miss"}},
		{"redis down", "cache: {redis: 'unix:///nowhere/redis.sock'}\nshutdown_timeout: 1s", processtest.StatusFail,
			[]string{"1 uri-miss", "1 hit", "2 uri-miss"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			legacy := processtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				proxytest.WriteItem(w, `{"id":12,"title":"%d"}`, calls) // the title counts the calls
			}))
			p := processtest.StartServe(t, binary, legacy, "admin: {token: "+processtest.TestToken+"}\n"+test.config)
			if test.status != processtest.StatusOK { // until Redis is down, a request after a failed log read calls the site
				p.Eventually("Redis is down", func() bool {
					p.Purge(`{"type":"tag","any":true}`)
					return p.Value("calfacade_redis_up") == "0"
				})
			}
			got := []string{title(p), title(p)}
			p.Purge(`{"type":"event","id":12}`)
			got = append(got, title(p))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if status := p.Stop(); status != test.status {
				t.Errorf("exit status %d, want %d", status, test.status)
			}
			if printed := p.Out.Text(); strings.Contains(printed, processtest.TestToken) ||
				!strings.Contains(printed, `"msg":"purge","client":"127.0.0.1"`) {
				t.Errorf("written: %s", printed)
			}
		})
	}
}

// title reads event 12 and returns its title and Cache-Status.
func title(s processtest.Serving) string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Base+"/events/12", nil)
	if err != nil {
		s.Fatal(err)
	}
	res, body := processtest.Send(s.T, r)
	_, title, _ := strings.Cut(proxytest.Unmarked(string(body)), `"title":"`)
	_, status, _ := strings.Cut(res.Header.Get("Cache-Status"), "calfacade; ")
	status, _, _ = strings.Cut(strings.TrimPrefix(status, "fwd="), ";")
	return strings.TrimSpace(strings.TrimRight(title, `"}`) + " " + status)
}
