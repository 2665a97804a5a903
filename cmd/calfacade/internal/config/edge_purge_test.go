package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calfacade/calfacade/proxy/onward"
)

// parsePurge parses a configuration with one target.
func parsePurge(t *testing.T, tags, target string) (Config, error) {
	t.Helper()
	return Parse("c.yaml", fmt.Appendf(nil, `
public_url: https://api.example.org
languages: [{code: en, root: /wp-json, upstream: "https://example.org/wp-json"}]
edge: {tags: %s, purge: [%s]}
`, tags, target), nil)
}

func TestPurgeTarget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := parsePurge(t, "cache-tag", `{name: cf, type: cloudflare, id: 023e105f, token_file: `+file+`, rate: 25/5s}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []onward.Target{{Name: "cf", Kind: onward.Cloudflare, ID: "023e105f", Token: "from-a-file",
		Limit: onward.Limit{Calls: 25, Window: 5 * time.Second}}}
	if diff := cmp.Diff(want, c.Edge.Targets()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := Effective(c) + fmt.Sprintf("%+v", c); strings.Contains(text, "from-a-file") {
		t.Error("the token is shown")
	}
	if w := strings.Join(c.Warnings(), "\n"); !strings.Contains(w, "edge.purge: without cache.redis") {
		t.Errorf("warnings: %s", w)
	}
}

func TestPurgeTargetFaults(t *testing.T) {
	const secret = "0123456789-0123456789-0123456789"
	for _, test := range []struct{ tags, target, want string }{
		{"xkey", `{name: v, type: varnish, url: "http://10.0.0.1:6081/"}`, ""},
		{"xkey", `{name: v, type: varnish-ban, url: "http://10.0.0.1:6081"}`, ""},
		{"none", `{name: n, type: nginx, url: "http://10.0.0.1/purge"}`, ""},
		{"none", `{name: w, type: webhook, url: "https://example.org/hook", secret: "` + secret + `"}`, ""},
		{"surrogate-key", `{name: f, type: fastly, id: SU1Z, token: x}`, ""},
		{"none", `{name: v, type: varnish, url: "http://10.0.0.1:6081"}`,
			"edge.purge[0]: varnish purges by the keys of responses: set edge.tags to xkey"},
		{"xkey", `{name: v, type: varnish}`, "edge.purge[0].url: is required"},
		{"xkey", `{name: v, type: varnish, url: "http://u:p@h"}`, "edge.purge[0].url: must not contain a user"},
		{"xkey", `{name: v, type: varnish, url: "ftp://h"}`, "edge.purge[0].url: is not an absolute"},
		{"xkey", `{name: v, type: varnish, url: "http://h", by: ban}`, "unknown key: for ban set type to varnish-ban"},
		{"xkey", `{name: V_, type: varnish, url: "http://h"}`, "edge.purge[0].name:"},
		{"xkey", `{name: v, type: squid, url: "http://h"}`, "edge.purge[0].type:"},
		{"xkey", `{name: v, type: varnish, url: "http://h", id: x}`, "edge.purge[0].id:"},
		{"none", `{name: n, type: nginx, url: "http://h", repeat: 2m}`, "edge.purge[0].repeat:"},
		{"none", `{name: n, type: webhook, url: "https://h", secret: of-at-least-32-characters-of-its-own, repeat: 5s}`,
			"edge.purge[0].repeat: is not for webhook"},
		{"none", `{name: n, type: nginx, url: "http://h"}, {name: n, type: nginx, url: "http://g"}`, "edge.purge[1].name:"},
		{"none", `{name: w, type: webhook, url: "https://h"}`, "edge.purge[0].secret: is required"},
		{"none", `{name: w, type: webhook, url: "https://h", secret: short}`, "edge.purge[0].secret: must have at least 32"},
		{"surrogate-key", `{name: f, type: fastly, token: x}`, "edge.purge[0].id:"},
		{"surrogate-key", `{name: f, type: fastly, id: SU1Z}`, "edge.purge[0].token: is required"},
		{"surrogate-key", `{name: f, type: fastly, id: SU1Z, token: x, url: "http://10.0.0.1"}`, "edge.purge[0].url: is http"},
		{"surrogate-key", `{name: f, type: fastly, id: SU1Z, token: x, token_file: /dev/null}`, "edge.purge[0].token_file:"},
	} {
		_, err := parsePurge(t, test.tags, test.target)
		got := fmt.Sprint(err)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(got, test.want) ||
			strings.Contains(got, "u:p@") {
			t.Errorf("%s: %v, want %q", test.target, err, test.want)
		}
	}
}
