package config

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestChangedKeys(t *testing.T) {
	a := minimalConfig()
	b := minimalConfig()
	if got, restart := Changed(a, b); got != nil || restart != nil {
		t.Errorf("nothing has changed: %v, %v", got, restart)
	}
	b.PublicURL = "https://other.example.org"
	b.Languages[0].Root = "/json"
	b.Cache.TTL["events"]++
	b.Cache.Redis = Secrets{NewSecret("redis://:opensesame@127.0.0.1")}
	b.Admin.Token = NewSecret("0123456789abcdefg")
	want := []string{"public_url", "languages", "cache.redis", "cache.ttl", "admin.token"}
	got, restart := Changed(a, b)
	if diff := cmp.Diff(want, got); diff != "" || restart != nil {
		t.Errorf("%v requires a restart (-want +got):\n%s", restart, diff)
	}
}

// TestWhatTakesARestart: the keys that the process reads at its start do.
func TestWhatTakesARestart(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   []string
	}{
		"what facades read": {func(c *Config) {
			c.Log.Requests = "none"
			c.DrainDelay = time.Second
		}, nil},
		"the log": {func(c *Config) { c.Log.Level = "debug" }, []string{"log.level"}},
		"where it listens": {func(c *Config) {
			c.Listen = ":1"
			c.AdminListen = ":2"
		}, []string{"listen", "admin_listen"}},
		"files": {func(c *Config) {
			c.TLS.CertFile = "c"
			c.TLS.KeyFile = "k"
		}, []string{"tls.cert_file", "tls.key_file"}},
		"the lane": {func(c *Config) { c.Lane = false }, []string{"lane"}},
		"connections": {func(c *Config) {
			c.Limits.MaxConnections = 1
			c.Limits.MaxClientConnections = 2
		},
			[]string{"limits.max_connections", "limits.max_client_connections"}},
		"a timeout": {func(c *Config) { c.Limits.IdleTimeout = 2 }, []string{"limits.idle_timeout"}},
		"a call's":  {func(c *Config) { c.Upstream.Timeout++ }, []string{"upstream.timeout"}},
	} {
		old := minimalConfig()
		reloaded := minimalConfig()
		test.change(&reloaded)
		changed, restart := Changed(old, reloaded)
		if diff := cmp.Diff(test.want, restart); diff != "" || len(changed) == 0 {
			t.Errorf("%s: changed %v (-want +got):\n%s", name, changed, diff)
		}
	}
}

// TestEffective: every key is shown, and no secret.
func TestEffective(t *testing.T) {
	const token = "0123456789abcdef-0123"
	c := minimalConfig()
	c.Admin.Token = NewSecret(token)
	c.Cache.Redis = NewSecrets([]string{"redis://:opensesame@127.0.0.1", ""})
	c.Languages[0].Aliases = []string{"http://legacy.example.org"}
	text := Effective(c)
	if strings.Contains(text, token) || strings.Contains(text, "opensesame") {
		t.Errorf("a secret is shown: %s", text)
	}
	config := Default()
	var d document
	if err := d.decode([]byte(text), &config); err != nil || d.problems != nil {
		t.Fatal(err, d.problems)
	}
	changed, _ := Changed(c, config)
	if diff := cmp.Diff([]string{"cache.redis", "admin.token"}, changed); diff != "" {
		t.Errorf("what is not shown as it is (-want +got):\n%s\n%s", diff, text)
	}
}

// TestChangedContents: the file of CAs counts with its content.
func TestChangedContents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	load := func(content []byte) Config {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(minimalFile, []string{"CALFACADE_UPSTREAM_CA_FILE=" + file})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ca := testCA(t)
	first := load(ca)
	again := load(ca)
	changed := load(otherCA(t))
	if changed, _ := Changed(first, again); changed != nil {
		t.Errorf("changed %v, and the content is the same", changed)
	}
	if changed, restart := Changed(first, changed); !slices.Equal(changed, []string{"upstream.ca_file"}) || restart != nil {
		t.Errorf("changed %v, restart %v", changed, restart)
	}
}

// otherCA is another certificate than testCA.
func otherCA(t *testing.T) []byte {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(nil, certificate, certificate, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// TestFiles: each key and variable that names a file counts, also in a document with other errors.
func TestFiles(t *testing.T) {
	data := `
unknown: 1
admin: {token_file: f/token, purge_token_file: ""}
tls: {cert_file: f/cert, key_file: f/key}
upstream: {ca_file: f/ca, headers_file: f/headers}
backends: [{name: a, ids: f/ids}, {name: b}]
edge: {purge: [{name: c, secret_file: f/secret}]}
`
	got := Files([]byte(data), []string{"CALFACADE_CACHE_REDIS_FILE=f/redis", "CALFACADE_UPSTREAM_CA_FILE=f/other", "CALFACADE_X=f/x"})
	want := []string{"f/cert", "f/headers", "f/ids", "f/key", "f/other", "f/redis", "f/secret", "f/token"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Files([]byte("listen: ["), nil); got != nil {
		t.Errorf("of a broken document: %v", got)
	}
}
