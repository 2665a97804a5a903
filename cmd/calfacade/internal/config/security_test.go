package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDangerousSettings: each is refused with a reason, and the value next to it is
// accepted.
func TestDangerousSettings(t *testing.T) {
	const (
		clear = "languages[0].upstream: is http: passwords of clients would pass the network unencrypted; use https, or accept it " +
			"with upstream.allow_plain_http"
		login  = "cors.credentials: with the origin * any page could use a visitor's credentials: name the origins"
		wide   = " is too wide: it includes public addresses, which could claim any client address"
		pair   = "tls: cert_file and key_file are required together"
		origin = " is neither * nor an origin such as https://www.example.org or https://*.example.org"
		quota  = " is not a quota such as 600/1m: 1 to 1000000 requests in 1s to 24h"
	)
	minimal := []byte(readFile(t, minimalFile))
	for _, test := range []struct{ env, want string }{
		{"LANGUAGES_0_UPSTREAM=http://legacy.example.org/wp-json", clear},
		{"LANGUAGES_0_UPSTREAM=http://10.0.0.1/wp-json", clear},
		{"LANGUAGES_0_UPSTREAM=http://10.0.0.1/wp-json UPSTREAM_ALLOW_PLAIN_HTTP=true", ""},
		{"LANGUAGES_0_UPSTREAM=http://127.0.0.1/wp-json", ""},
		{"LANGUAGES_0_UPSTREAM=http://[::1]/wp-json", ""},
		{"LANGUAGES_0_UPSTREAM=http://localhost:81/wp-json", ""},
		{"CORS_CREDENTIALS=true", login},
		{"CORS_CREDENTIALS=true CORS_ORIGINS=https://a.example.org,*", login},
		{"CORS_CREDENTIALS=true CORS_ORIGINS=https://a.example.org", ""},
		{"CORS_ORIGINS=https://*.example.org,http://127.0.0.1:3000,http://[::1]:3000", ""},
		{"CORS_ORIGINS=", ""},
		{"CORS_ORIGINS=null", `cors.origins[0]: "null"` + origin},
		{"CORS_ORIGINS=https://*,https://a.*.org", `cors.origins[0]: "https://*"` + origin + "\n" +
			`cors.origins[1]: "https://a.*.org"` + origin},
		{"CORS_ORIGINS=https://a.example.org/", `cors.origins[0]: "https://a.example.org/"` + origin},
		{"TRUSTED_PROXIES=0.0.0.0/0", "trusted_proxies[0]: 0.0.0.0/0" + wide},
		{"TRUSTED_PROXIES=10.0.0.0/8,::/0", "trusted_proxies[1]: ::/0" + wide},
		{"TRUSTED_PROXIES=0.0.0.0/1,128.0.0.0/1", "trusted_proxies[0]: 0.0.0.0/1" + wide + "\ntrusted_proxies[1]: 128.0.0.0/1" + wide},
		{"TRUSTED_PROXIES=::ffff:0.0.0.0/96", `trusted_proxies[0]: ::ffff:0.0.0.0/96 is an IPv4 network in IPv6 form: write it as IPv4`},
		{"TRUSTED_PROXIES=10.0.0.0/8,fc00::/7,203.0.113.9,2001:db8::1", ""},
		{"TRUSTED_PROXIES=proxy", `CALFACADE_TRUSTED_PROXIES: "proxy" is not an address or a network such as 10.0.0.0/8`},
		{"TLS_CERT_FILE=/c.pem", pair},
		{"TLS_KEY_FILE=/k.pem", pair},
		{"WRITES=", `writes: "" is not one of any, need_credentials, none`},
		{"RATE_LIMIT_READS=60/1h RATE_LIMIT_WRITES=", ""},
		{"RATE_LIMIT_READS=60", `CALFACADE_RATE_LIMIT_READS: "60"` + quota},
		{"RATE_LIMIT_READS=0/1m", `CALFACADE_RATE_LIMIT_READS: "0/1m"` + quota},
		{"RATE_LIMIT_WRITES=9/1ms", `CALFACADE_RATE_LIMIT_WRITES: "9/1ms"` + quota},
		{"LIMITS_MAX_CONNECTIONS=-1", "limits.max_connections: must not be negative, but is -1"},
		{"LIMITS_IDLE_TIMEOUT=0s", "limits.idle_timeout: must be more than 0, but is 0s"},
	} {
		t.Run(test.env, func(t *testing.T) {
			_, err := Parse("c.yaml", minimal, calfacadeEnv(test.env))
			checkError(t, err, test.want)
		})
	}
}

func TestSecretFiles(t *testing.T) {
	minimal := []byte(readFile(t, minimalFile))
	token := secretFile(t, "opensesame-0123456789\n")
	got, err := Parse("c.yaml", minimal, []string{
		"CALFACADE_ADMIN_TOKEN_FILE=" + token,
		"CALFACADE_CACHE_REDIS_FILE=" + secretFile(t, "redis://:opensesame@a:1\nredis://:opensesame@b:2\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Admin.Token.Reveal(); s != "opensesame-0123456789" {
		t.Errorf("token %q", s)
	}
	if diff := cmp.Diff([]string{"redis://:opensesame@a:1", "redis://:opensesame@b:2"}, got.Cache.Redis.Reveal()); diff != "" {
		t.Errorf("redis (-want +got):\n%s", diff)
	}
	for env, want := range map[string]string{
		"ADMIN_TOKEN_FILE=/absent":                                   "admin.token_file: open /absent: no such file or directory",
		"ADMIN_TOKEN_FILE=" + secretFile(t, "\n"):                    " is empty",
		"ADMIN_TOKEN_FILE=" + secretFile(t, "opensesame"):            "admin.token: must have at least 16 ASCII characters, without spaces",
		"ADMIN_TOKEN_FILE=" + secretFile(t, "opensesame 0123456789"): "admin.token: must have at least 16 ASCII characters, without spaces",
		"ADMIN_TOKEN=opensesame-0123456789 ADMIN_TOKEN_FILE=" +
			token: "admin.token_file: admin.token is set as well: use one of the two",
		"CACHE_REDIS_FILE=" + secretFile(t, "http://:opensesame@a"): "cache.redis: redis URL 1: " +
			"must be redis://USER:PASSWORD@HOST:PORT/DATABASE",
		"CACHE_REDIS=redis://:opensesame@a:1 CACHE_REDIS_FILE=" +
			token: "cache.redis_file: cache.redis is set as well: use one of the two",
		"CACHE_REDIS_FILE=" + filepath.Dir(token) + " ADMIN_TOKEN_FILE=/": "is a directory",
	} {
		_, err := Parse("c.yaml", minimal, calfacadeEnv(env))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "opensesame") {
			t.Errorf("%s: got %v, want %s", env, err, want)
		}
	}
}

// TestEverySecretHasAFile: the file sets the secret, and a change of its content is one of the secret.
func TestEverySecretHasAFile(t *testing.T) {
	for _, k := range new(Config).keys() {
		if !isSecret(k.value) {
			continue
		}
		for _, content := range []string{"one", "two"} {
			c := Default()
			files := map[string]namedFile{}
			variable := Variable(k.path) + "_FILE=" + secretFile(t, content+"\n")
			if err := errors.Join(c.overlay([]string{variable}, files), c.readFiles(files)); err != nil {
				t.Fatal(err)
			}
			if changed, _ := Changed(Default(), c); !slices.Equal(changed, []string{k.path}) {
				t.Errorf("%s changes %v", variable, changed)
			}
		}
	}
	const inFile = `
public_url: https://api.example.org
languages: [{code: en, upstream: "https://legacy.example.org/wp-json"}]
admin: {token_file: /absent}
edge: {purge: [{name: a, type: webhook, url: "https://b", secret_file: /absent}]}`
	_, err := Parse("c.yaml", []byte(inFile), nil)
	checkError(t, err, "admin.token_file: open /absent: no such file or directory\n"+
		"edge.purge[0].secret_file: open /absent: no such file or directory")
}

// TestWarnings: settings that are odd and yet served.
func TestWarnings(t *testing.T) {
	c := minimalConfig()
	c.TLS.KeyFile = secretFile(t, "key")
	c.Upstream.AllowPlainHTTP = true
	if got := c.Warnings(); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	if err := os.Chmod(c.TLS.KeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	c.Languages[0].Upstream = "http://legacy.example.org/wp-json"
	want := []string{
		"tls.key_file: every user of this machine may read " + c.TLS.KeyFile + " (-rw-r--r--)",
		"languages[0].upstream: passwords pass the network unencrypted",
	}
	if diff := cmp.Diff(want, c.Warnings()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
