//go:build !race

package fronts_test

import (
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calfacade/calfacade/cmd/calfacade/processtest"
)

// TestFronts runs each shipped configuration of a proxy, in the proxy that it is for, before
// the stand-in as the site and an instance with the shipped configuration.
func TestFronts(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes do the work: there is nothing for -race")
	}
	t.Parallel()
	run := func(name string, s processtest.FrontServer, env ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, address := newHostedSite(t)
			f := startFront(t, s, address)
			collector := processtest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			p := f.facade(0, append(env, "CALFACADE_RATE_LIMIT_WRITES=6/24h", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector)...)
			c := f.client(visitor)
			processtest.Eventually(t, "calfacade is served", func() bool {
				res, _ := f.ask(c, http.MethodGet, "/wp-json/calendar/events/v1", "")
				return res.StatusCode == http.StatusOK && res.Header.Get("X-Wordpress") == ""
			})
			f.mountsNamespace(c)
			f.mountsNothingElse(c)
			f.keepsTargets(c, "http://"+f.instances[0].public)
			f.redirectsToTLS(c)
			f.namesClient(p, site)
			f.compresses(c)
			f.leavesErrors(c)
			f.checks()
		})
	}
	for _, s := range fronts {
		run(s.Directory, s)
	}
}

// checks runs "calfacade check" with the shipped configuration.
func (f *siteFront) checks() {
	f.Helper()
	check := exec.CommandContext(f.Context(), processtest.Build(f.T), "check", "--config", f.dir+"/config.yaml")
	check.Env = []string{"CALFACADE_UPSTREAM_CA_FILE=" + f.ca}
	out, err := check.CombinedOutput()
	notes := checkNote.FindAllString(string(out), -1)
	if err != nil || slices.ContainsFunc(notes, func(note string) bool { return !ownNote.MatchString(note) }) {
		f.Errorf("check: %v\n%s", err, out)
	}
}

var (
	checkNote = regexp.MustCompile(`(?m)^.*note: .*$`)
	ownNote   = regexp.MustCompile(`time zone`) // of the stand-in
)

// linkOf is a link to the API in a response.
var linkOf = regexp.MustCompile(`https?:[^"]*/calendar/events/v1/[^"]*`)

// mountsNamespace reads a list at the root of each language, with links to the host.
func (f *siteFront) mountsNamespace(c http.RoundTripper) {
	f.Helper()
	for _, root := range []string{"", "/es", "/de", "/fr"} {
		base := root + "/wp-json/calendar/events/v1"
		res, body := f.ask(c, http.MethodGet, base+"/events?per_page=1", "")
		if res.StatusCode != http.StatusOK || res.Header.Get("X-Wordpress") != "" {
			f.Errorf("%s: %d %v %.200s", base, res.StatusCode, res.Header, body)
			continue
		}
		processtest.CheckLeaks(f.T, res.Header, []byte(body), "127.0.0.1")
		unescaped := strings.ReplaceAll(body, `\/`, "/")
		links := linkOf.FindAllString(unescaped, -1)
		for _, link := range links {
			if !strings.HasPrefix(link, "https://"+siteHost+base+"/") {
				f.Errorf("%s: link %s", base, link)
			}
		}
		if len(links) == 0 {
			f.Errorf("%s: no links: %s", base, body)
		}
	}
	for _, method := range []string{http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if res, _ := f.ask(c, method, "/wp-json/calendar/events/v1", ""); res.Header.Get("X-Request-Id") == "" ||
			res.Header.Get("X-Wordpress") != "" {
			f.Errorf("%s does not reach calfacade: %d %v", method, res.StatusCode, res.Header)
		}
	}
}

// mountsNothingElse: everything else goes to WordPress under its own name, the paths of the
// admin listener among it.
func (f *siteFront) mountsNothingElse(c http.RoundTripper) {
	f.Helper()
	for _, path := range []string{
		"/", "/wp-json/", "/es/wp-json/", "/wp-json/tribe/events/v1/events?per_page=1", "/wp-json/calendar/events/v10",
		"/x/wp-json/calendar/events/v1",
		"/wp-admin/", "/event/fair/", "/livez", "/readyz", "/metrics", "/purge", "/staging", "/status/", "/debug/pprof/",
	} {
		if res, _ := f.ask(c, http.MethodGet, path, ""); res.Header.Get("X-Wordpress") != siteHost {
			f.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
	}
	res, _ := f.ask(c, http.MethodGet, "/old", "")
	got := res.Header.Get("Location")
	if res.StatusCode != http.StatusFound || got != "https://"+siteHost+"/new/" {
		f.Errorf("a redirect of the site: %d %s", res.StatusCode, got)
	}
}

// keepsTargets: targets that proxies like to decode arrive as they were sent.
func (f *siteFront) keepsTargets(c http.RoundTripper, direct string) {
	f.Helper()
	for _, target := range []string{
		"/events/by-slug/caf%C3%A9", "/events/by-slug/a%2Fb", "/events/by-slug/a%25b", "/events/by-slug/x.php", "/events/12//",
		"/events?search=a%20b%2Bc+d&tags[]=a&tags%5B%5D=b&per_page=1", "/events?per_page=x&start_date=%2F%3F%26", "/docs/", "/doc",
	} {
		target = "/wp-json/calendar/events/v1" + target
		want, wantBody := f.ask(http.DefaultTransport, http.MethodGet, direct+target, "", "Accept-Encoding", "identity")
		got, body := f.ask(c, http.MethodGet, target, "", "Accept-Encoding", "identity")
		if got.StatusCode != want.StatusCode || body != wantBody {
			f.Errorf("%s: %d %.200s, want %d %.200s", target, got.StatusCode, body, want.StatusCode, wantBody)
		}
	}
}

// redirectsToTLS: a request without TLS is redirected and not served.
func (f *siteFront) redirectsToTLS(c http.RoundTripper) {
	f.Helper()
	target := siteHost + "/es/wp-json/calendar/events/v1/events?per_page=1"
	res, _ := f.ask(c, http.MethodPost, "http://"+target, "")
	got := res.Header.Get("Location")
	if res.StatusCode != http.StatusPermanentRedirect || got != "https://"+target {
		f.Errorf("without TLS: %d %s", res.StatusCode, got)
	}
}

// namesClient: log, rate limit and site see the client and the request as the proxy names them,
// whatever the client says of itself.
func (f *siteFront) namesClient(p processtest.Serving, site *hostedSite) {
	f.Helper()
	var ids []string
	statuses := map[string][]int{}
	for _, address := range []string{visitor, visitor, visitor, visitor, "127.0.0.10"} {
		res, _ := f.ask(f.client(address), http.MethodDelete, "/wp-json/calendar/events/v1/events/999999", "",
			"X-Forwarded-For", "203.0.113.7", "Forwarded", "for=203.0.113.7", "X-Request-Id", "forged")
		statuses[address] = append(statuses[address], res.StatusCode)
		ids = append(ids, res.Header.Get("X-Request-Id"))
	}
	// Three of six writes were made before, to the index.
	if got := statuses[visitor]; got[3] != http.StatusTooManyRequests || statuses["127.0.0.10"][0] == http.StatusTooManyRequests {
		f.Errorf("statuses %v: the rate limit does not count by client", statuses)
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	res, _ := f.ask(f.client(visitor), http.MethodGet, "/wp-json/calendar/events/v1/venues?per_page=3", "", "Traceparent",
		"00-"+trace+"-00f067aa0ba902b7-01")
	id := res.Header.Get("X-Request-Id")
	ids = append(ids, id)
	for _, id := range ids {
		if len(id) < 20 {
			f.Errorf("X-Request-Id %q is not that of the proxy", id)
		}
	}
	if !site.called("X-Request-Id", id) || !site.called("Traceparent", trace) {
		f.Errorf("the site got no call with X-Request-Id %s or with the trace", id)
	}
	p.Expect(`"request_id":"` + regexp.QuoteMeta(id) + `".*"client":"` + visitor + `".*"trace_id":"` + trace)
	if strings.Contains(p.Out.Text(), "203.0.113.7") {
		f.Error("a client names itself")
	}
}

// compresses: the proxy leaves coding and validators alone.
func (f *siteFront) compresses(c http.RoundTripper) {
	f.Helper()
	const target = "/wp-json/calendar/events/v1/events?per_page=20"
	f.ask(c, http.MethodGet, target, "")
	res, _ := f.ask(c, http.MethodGet, target, "", "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" {
		f.Errorf("the list is not compressed: %v", res.Header)
	}
	if again, _ := f.ask(c, http.MethodGet, target, "", "Accept-Encoding", "gzip", "If-None-Match",
		res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		f.Errorf("If-None-Match: %d, ETag %q", again.StatusCode, res.Header.Get("ETag"))
	}
}

// leavesErrors: the client gets the errors of calfacade, and no page of the proxy.
func (f *siteFront) leavesErrors(c http.RoundTripper) {
	f.Helper()
	res, body := f.ask(f.client("127.0.0.11"), http.MethodPost, "/wp-json/calendar/events/v1/events", strings.Repeat("x", 3<<19),
		"Content-Type", "application/json")
	if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"code":`) {
		f.Errorf("a large body: %d %s", res.StatusCode, body)
	}
	res, body = f.ask(c, http.MethodGet, "/wp-json/calendar/events/v1/nope", "")
	if res.StatusCode != http.StatusNotFound ||
		!strings.Contains(body, "rest_no_route") {
		f.Errorf("an unknown route: %d %s", res.StatusCode, body)
	}
}
